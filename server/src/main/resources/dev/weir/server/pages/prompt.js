// Dialogs that ask before something changes: fields, a reason for the audit, and the server's own words if it refuses.
import { html, nothing, render } from './lit-html.js';
import { ask } from './sign-in.js';
import { refresh } from './live.js';

/** The header of a reason, as RFC 8187 writes what a header cannot hold. */
export const reasonHeader = reason => (reason ? { 'X-Weir-Reason': /^[\x20-\x7e]*$/.test(reason) ? reason : `UTF-8''${encodeURIComponent(reason)}` } : {});

/** Sends a change. Returns {ok, status, told}; a refusal has its words in `told.detail`. */
export async function send(method, path, body, { reason = '', headers = {} } = {}) {
  try {
    const answer = await ask(path, {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...reasonHeader(reason), ...headers },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    return { ok: answer.ok, status: answer.status, told: text.startsWith('{') ? JSON.parse(text) : {} };
  } catch {
    return { ok: false, status: 0, told: { detail: 'the server cannot be reached' } };
  }
}

function field(each) {
  const id = `prompt-${each.name}`;
  const input = each.options
    ? html`<select id=${id} name=${each.name}>${each.options.map(([value, text]) => html`<option value=${value} ?selected=${value === each.value}>${text}</option>`)}</select>`
    : html`<input id=${id} name=${each.name} .value=${each.value ?? ''} type=${each.type ?? 'text'} ?required=${each.required} placeholder=${each.hint ?? ''}
        min=${each.min ?? nothing} max=${each.max ?? nothing} maxlength="1000" autocomplete="off" spellcheck="false">`;
  return html`<label for=${id}>${each.label}</label>${input}`;
}

/**
 * Opens a dialog. `fields` are {name, label, value, required, options}; `act` gets their values and returns what `send` returned.
 * The dialog stays open while the server refuses.
 */
export function open({ title, text = nothing, fields, action, act, onDone = () => {} }) {
  const opener = document.activeElement;
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-labelledby', 'prompt-title');
  const show = (refusals, busy) => render(html`
    <form method="dialog" @submit=${submit}>
      <h2 id="prompt-title">${title}</h2>
      <div class="prose">${text}</div>
      <div class="fields">${fields.map(field)}</div>
      <div role="alert">${refusals.map(each => html`<p class="wrong">${each}</p>`)}</div>
      <div class="buttons"><button type="button" @click=${() => dialog.close()}>Cancel</button><button class="primary" ?disabled=${busy}>${action}</button></div>
    </form>`, dialog);
  async function submit(event) {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.target));
    show([], true);
    const { ok, told } = await act(values);
    if (ok) {
      dialog.close();
      refresh();
      onDone(told);
    } else {
      show(told.errors ?? [told.detail ?? 'refused'], false);
    }
  }
  show([], false);
  document.body.append(dialog);
  dialog.addEventListener('close', () => {
    dialog.remove();
    opener?.focus?.();
  });
  dialog.showModal();
}
