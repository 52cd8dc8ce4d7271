// Makes a passkey, or signs in with one, and sends the form that asked for it. A browser that cannot never sees the form.
const form = document.querySelector('form[data-passkey]');

async function answered() {
  const asked = await fetch(form.dataset.options, {
    method: 'POST',
    body: new URLSearchParams(new FormData(form)),
  });
  // The sign-in has grown too old, or is over: the page says what to do.
  if (asked.status === 403 || asked.redirected) return location.reload();
  if (!asked.ok) throw new Error(String(asked.status));
  const options = await asked.json();
  if (form.dataset.passkey === 'create')
    return navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    });
  return navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
  });
}

if (form && globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const alert = form.querySelector('[role=alert]');
    alert.hidden = true;
    answered()
      .then((credential) => {
        if (!credential) return;
        form.elements.credential.value = JSON.stringify(credential.toJSON());
        form.submit();
      })
      .catch(() => {
        alert.hidden = false;
      });
  });
}
