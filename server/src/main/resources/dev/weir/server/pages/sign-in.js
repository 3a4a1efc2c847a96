// Signs in with a token if the server requires one. The token stays in this tab, is sent only in a header, and is forgotten with the tab.
import { element } from './dom.js';

const KEPT = 'weir-token';
const WHO = '/admin/v1/whoami';
const header = document.querySelector('main header'); // of the reference; the dashboard shows the caller itself

export const hasToken = () => sessionStorage.getItem(KEPT) !== null;

const withToken = (token, options = {}) =>
  ({ ...options, headers: { ...options.headers, ...(token === null ? {} : { Authorization: `Bearer ${token}` }) } });

const detailOf = answer => answer.clone().json().then(told => told.detail).catch(() => `status ${answer.status}`);

/** Fetches with the token of this tab; asks for a token if a valid one is required. */
export async function ask(path, options) {
  const token = sessionStorage.getItem(KEPT);
  const answer = await fetch(path, withToken(token, options));
  if (answer.status === 401) signIn(token === null ? '' : await detailOf(answer));
  return answer;
}

function signIn(problem) {
  sessionStorage.removeItem(KEPT);
  if (document.body.classList.contains('signed-out')) return;
  document.body.classList.add('signed-out');
  const field = element('input', { id: 'token', type: 'password', required: '', autocomplete: 'current-password', spellcheck: 'false', placeholder: 'weir_…' });
  const said = element('p', { class: 'wrong', role: 'alert' }, problem);
  const form = element('form', { class: 'sign-in' }, element('label', { for: 'token' }, 'This server requires a token'),
    field, element('button', {}, 'Sign in'), said,
    element('p', { class: 'quiet' }, 'An admin creates one with ', element('code', {}, 'weir token create'), '. It stays in this tab until you close it.'));
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const token = field.value.trim();
    try {
      const answer = await fetch(WHO, withToken(token));
      if (answer.ok) {
        sessionStorage.setItem(KEPT, token);
        location.reload();
        return;
      }
      said.textContent = await detailOf(answer);
    } catch (failure) {
      said.textContent = `No answer: ${failure.message}`;
    }
    field.select();
  });
  if (header) header.after(form);
  else document.body.append(element('main', { class: 'gate' }, element('h1', {}, 'Weir'), form));
  field.focus();
}

/** Forgets the token of this tab. */
export function signOut() {
  sessionStorage.removeItem(KEPT);
  location.reload();
}

function signedIn(who) {
  const out = element('button', { type: 'button' }, 'Sign out');
  out.addEventListener('click', signOut);
  header.append(element('p', { class: 'quiet who' }, `Signed in as ${who.name} (${who.role})`, out));
}

/** The identity that the server knows for this tab: {name, role, token}; null if it does not say. */
export const who = ask(WHO).then(answer => (answer.ok ? answer.json() : null)).catch(() => null);

who.then(found => (found && header && hasToken() ? signedIn(found) : null));
