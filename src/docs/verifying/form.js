// Reads the fields, asks judging.ts and shows its answer. Nothing leaves the page.
import { judge } from './judging.ts';

const find = (id) => document.getElementById(id);
const NAMES = ['secret', 'headers', 'body', 'computed'];

function paragraph(text) {
  const element = document.createElement('p');
  element.textContent = text;
  return element;
}

function show({ verified, title, sentences }) {
  const heading = document.createElement('h2');
  heading.textContent = title;
  const answer = find('answer');
  answer.className = verified ? 'answer good' : 'answer bad';
  answer.replaceChildren(heading, ...sentences.map(paragraph));
  answer.hidden = false;
  answer.focus();
}

async function verify() {
  const values = Object.fromEntries(NAMES.map((name) => [name, find(name).value]));
  try {
    show(await judge(values, Date.now() / 1000));
  } catch (error) {
    show({ verified: false, title: 'Not verified', sentences: [String(error)] });
  }
}

find('delivery').addEventListener('submit', (event) => {
  event.preventDefault();
  void verify();
});
// Browsers have WebCrypto only on https and on this machine itself.
find(globalThis.crypto?.subtle ? 'verify' : 'insecure').hidden = false;
