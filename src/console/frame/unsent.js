// Keeps what is written and not sent when its page goes away: another of its forms was sent, a link followed, the session
// over. It stays in this tab, for the person who wrote it; passwords and files are never kept.
const said = document.getElementById('unsent');
const here = `${said.dataset.reader} ${location.pathname}`;
const SENT = 'sent';
const KEPT = 'input:not([type=password], [type=file]), textarea, select';

const forms = () => document.querySelectorAll('main form[method=post]');
const named = (form, name) => form.querySelector(`input[name=${name}]`)?.value ?? '';
const keyOf = (form) => `${named(form, 'action')} ${named(form, 'id')}`;

const isBox = ({ type }) => type === 'checkbox' || type === 'radio';
const stateOf = (one) => (isBox(one) ? one.checked : one.value);
const shownIn = (one) => {
  if (isBox(one)) return one.defaultChecked;
  if (!one.options) return one.defaultValue;
  const options = [...one.options];
  return (options.find(({ defaultSelected }) => defaultSelected) ?? options[0])?.value;
};
const change = (one, state) => {
  one[isBox(one) ? 'checked' : 'value'] = state;
};

/** The form's fields, each under a key of its own. */
function fieldsOf(form) {
  const fields = new Map();
  for (const one of form.elements) {
    if (!one.name || !one.matches(KEPT)) continue;
    let key = isBox(one) ? `${one.name} ${one.value}` : one.name;
    while (fields.has(key)) key += '+';
    fields.set(key, one);
  }
  return [...fields];
}

/** What somebody wrote in the form, with what it showed before: somebody else may change that meanwhile. */
function writtenIn(form) {
  const isSent = form.dataset.sent === named(form, 'id');
  const isWritten = (one) => one.type !== 'hidden' && (isSent || stateOf(one) !== shownIn(one));
  const written = fieldsOf(form).filter(([, one]) => isWritten(one));
  const marks = new Set(['seen', ...written.map(([, { name }]) => `shown_${name}`)]);
  const marked = fieldsOf(form).filter(
    ([, { name, type }]) => type === 'hidden' && marks.has(name),
  );
  return written.length > 0 ? [...written, ...marked].map(([key, one]) => [key, stateOf(one)]) : [];
}

let sent;

/** One that was closed with what stood in it is given up. */
function keep() {
  const kept = [...forms()]
    .filter((form) => form !== sent && !form.closest('details:not([open])'))
    .map((form) => [keyOf(form), writtenIn(form)])
    .filter(([, written]) => written.length > 0);
  if (kept.length > 0) sessionStorage.setItem(here, JSON.stringify(kept));
  else sessionStorage.removeItem(here);
}

/** A form that leaves the page: should the session be over, its writer finds it again after the sign-in. */
function send({ target: form, submitter, defaultPrevented }) {
  if (defaultPrevented) return;
  if (!form.closest('main')) return signOut();
  sent = form;
  const isKept = ([name, value]) =>
    typeof value === 'string' &&
    name !== '_csrf' &&
    !form.querySelector(`[type=password][name="${name}"]`);
  const fields = [...new FormData(form, submitter)].filter(isKept);
  sessionStorage.setItem(SENT, JSON.stringify({ here, fields }));
}

function signOut() {
  removeEventListener('pagehide', keep);
  sessionStorage.clear();
}

/** @returns each field that it changed, with what the page showed there */
function writeIn(form, states) {
  const changed = [];
  for (const [key, one] of fieldsOf(form)) {
    const [shown, state] = [stateOf(one), states.get(key)];
    if (state === undefined || state === shown) continue;
    change(one, state);
    // What a list offers no more cannot be chosen again.
    if (stateOf(one) === state) changed.push([one, shown]);
    else change(one, shown);
  }
  if (changed.length > 0) unfold(form);
  return changed;
}

function writeAgain() {
  const kept = new Map(JSON.parse(sessionStorage.getItem(here) ?? '[]'));
  const changed = [...forms()].flatMap((form) => writeIn(form, new Map(kept.get(keyOf(form)))));
  if (changed.length > 0) say(changed);
}

function unfold(form) {
  for (let at = form.closest('details'); at; at = at.parentElement.closest('details'))
    at.open = true;
}

function say(changed) {
  said.append(said.querySelector('template').content);
  said.querySelector('button').addEventListener('click', () => {
    for (const [one, shown] of changed) change(one, shown);
    said.replaceChildren();
    changed.find(([{ type }]) => type !== 'hidden')?.[0].focus();
  });
}

/** Without its token the form is not performed: the page shows it again, and says so. */
function showAgain(fields) {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = location.pathname + location.search;
  for (const [name, value] of fields)
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  document.body.append(form);
  form.submit();
}

const last = JSON.parse(sessionStorage.getItem(SENT));
sessionStorage.removeItem(SENT);
if (location.hash === '#unsent' && last?.here === here) showAgain(last.fields);
else {
  writeAgain();
  addEventListener('submit', send);
  addEventListener('pagehide', keep);
}
