// The phone: asks once a second what changed, shows it, and sends what the person writes.
const EVERY_MS = 1000;
const TICKS = { sent: '✓ sent', delivered: '✓✓ delivered', read: '✓✓ read', failed: '✗ failed' };

const find = (id) => document.getElementById(id);
const fromAddress = new URLSearchParams(location.hash.slice(1));
const open = {
  phone_number_id: fromAddress.get('phone_number_id') ?? '',
  person: fromAddress.get('person') ?? '',
};
let seen = 0;
let isAnswering = true;

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function notice(text, bad = false) {
  find('notice').textContent = text;
  find('notice').classList.toggle('bad', bad);
  for (const field of find('write-form').elements) field.removeAttribute('aria-invalid');
}

function choose(phoneNumberId, person) {
  Object.assign(open, { phone_number_id: phoneNumberId, person });
  seen = 0;
  history.replaceState(null, '', `#${new URLSearchParams(open)}`);
  find('messages').replaceChildren();
  notice('');
  showOpen();
  find('text').focus();
  void refresh();
}

function showOpen() {
  const chosen = open.person !== '';
  find('who').textContent = chosen
    ? `Phone of ${open.person}, writing with ${open.phone_number_id}`
    : 'No conversation chosen';
  find('write-form').hidden = !chosen;
}

/** In a group somebody writes: its members' phones are theirs to know. */
function askForMember(conversations) {
  const { is_group: inGroup = false } =
    conversations.find(
      ({ phone_number_id, person }) =>
        phone_number_id === open.phone_number_id && person === open.person,
    ) ?? {};
  if (inGroup) find('who').textContent = `Group ${open.person}, with ${open.phone_number_id}`;
  for (const part of [find('member'), find('member').labels[0]]) part.hidden = !inGroup;
  find('member').required = inGroup;
}

function chat({ phone_number_id, person, name, last }) {
  const button = make('button', { type: 'button' }, name ?? person);
  button.dataset.chat = `${phone_number_id} ${person}`;
  if (open.phone_number_id === phone_number_id && open.person === person) {
    button.setAttribute('aria-current', 'true');
  }
  button.append(
    make('span', {}, last ?? '(no text)'),
    make('span', {}, `number ${phone_number_id}`),
  );
  button.addEventListener('click', () => choose(phone_number_id, person));
  return make('li', {}, button);
}

function showChats(conversations) {
  const focused = document.activeElement?.dataset?.chat;
  find('chats').replaceChildren(...conversations.map(chat));
  find('no-chats').hidden = conversations.length > 0;
  // The list is drawn anew; whoever walks it by keyboard stays where they were.
  for (const button of find('chats').querySelectorAll('button')) {
    if (button.dataset.chat === focused) button.focus();
  }
  const numbers = [...new Set(conversations.map((one) => one.phone_number_id))];
  find('numbers').replaceChildren(...numbers.map((value) => make('option', { value })));
}

function under({ t, direction, status }) {
  const time = new Date(t).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  const small = make('small', {}, time);
  if (direction === 'to_person') {
    small.append(' ', make('span', { className: status ?? '' }, TICKS[status] ?? '… accepted'));
  }
  return small;
}

/** Adds and updates, never draws anew: a screen reader announces only what is new. */
function showMessages(messages) {
  const list = find('messages');
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const shown = new Map([...list.children].map((item) => [item.dataset.wamid, item]));
  for (const message of messages) {
    const item = shown.get(message.wamid);
    if (item) {
      const before = item.querySelector('small');
      const after = under(message);
      if (before.textContent !== after.textContent) before.replaceWith(after);
    } else {
      const added = make('li', {}, message.text ?? `(${message.type})`, under(message));
      added.dataset.wamid = message.wamid;
      if (message.direction === 'from_person') added.className = 'from-person';
      list.append(added);
    }
  }
  if (atEnd) list.scrollTop = list.scrollHeight;
}

async function refresh() {
  const asked = { ...open };
  try {
    const answer = await fetch(`/simulator/phone?${new URLSearchParams({ ...asked, seen })}`);
    if (!isAnswering) notice('');
    isAnswering = true;
    if (answer.status !== 200) return;
    const page = await answer.json();
    // Another conversation was opened in the meantime: its own answer is on the way.
    if (asked.person !== open.person || asked.phone_number_id !== open.phone_number_id) return;
    seen = page.version;
    showChats(page.conversations);
    askForMember(page.conversations);
    showMessages(page.messages);
  } catch {
    if (isAnswering) notice('The simulator does not answer. Trying again.', true);
    isAnswering = false;
  }
}

/** @returns why it was not taken, as `text: …`; null if it was */
async function write(text) {
  const { phone_number_id, person } = open;
  const member = find('member').hidden ? null : find('member').value;
  const from = member === null ? { from: person } : { from: member, group_id: person };
  const answer = await fetch('/simulator/inbound', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ phone_number_id, ...from, text }),
  });
  const body = await answer.json();
  if (!answer.ok) return body.error.message;
  notice(
    body.delivered ? 'The service took it.' : 'The service did not take it yet; it is repeated.',
  );
  return null;
}

async function submit(text) {
  const refusal = await write(text).catch(() => {
    isAnswering = false;
    return 'The simulator does not answer. Nothing was sent.';
  });
  if (refusal === null) return refresh();
  if (find('text').value === '') find('text').value = text;
  refuse(refusal);
}

const FIELDS = { text: 'text', from: 'member' };

/** Names the field by its label, and leads to it. */
function refuse(refusal) {
  const [, name, why] = /^(\w+): (.*)$/s.exec(refusal) ?? [];
  const field = find(FIELDS[name]);
  if (!field || field.hidden) return notice(refusal, true);
  notice(`${field.labels[0].textContent}: ${why}`, true);
  field.setAttribute('aria-invalid', 'true');
  field.focus();
}

find('write-form').addEventListener('input', ({ target }) => {
  if (target.matches('[aria-invalid]')) notice('');
});

find('write-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const text = find('text').value;
  find('text').value = '';
  void submit(text);
});

find('start-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const { phone_number_id, person } = event.target.elements;
  choose(phone_number_id.value.trim(), person.value.replace(/\D/g, ''));
  find('start').open = false;
});

async function keepFresh() {
  if (!document.hidden) await refresh();
  setTimeout(() => void keepFresh(), EVERY_MS);
}

showOpen();
void keepFresh();
