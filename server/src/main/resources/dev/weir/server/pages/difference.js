// The difference of two texts, line by line.
import { html } from './lit-html.js';

/** The lines of both texts in order: {sign: ' ' | '-' | '+', line}. */
export function lines(before, after) {
  const a = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const b = after === '' ? [] : after.replace(/\n$/, '').split('\n');
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const out = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ sign: ' ', line: a[i++] });
      j++;
    } else if (j >= b.length || (i < a.length && common[i + 1][j] >= common[i][j + 1])) {
      out.push({ sign: '-', line: a[i++] });
    } else {
      out.push({ sign: '+', line: b[j++] });
    }
  }
  return out;
}

const KIND = { ' ': 'same', '-': 'gone', '+': 'added' };
const SAID = { '-': 'removed: ', '+': 'added: ' };

export function view(before, after, label) {
  const all = lines(before, after);
  if (all.every(each => each.sign === ' ')) return html`<p class="quiet">No difference.</p>`;
  return html`<pre class="difference" tabindex="0" role="group" aria-label=${label}>${all.map(each => html`<span class=${KIND[each.sign]}><span
    aria-hidden="true">${each.sign} </span><span class="hidden">${SAID[each.sign] ?? ''}</span>${each.line}
</span>`)}</pre>`;
}
