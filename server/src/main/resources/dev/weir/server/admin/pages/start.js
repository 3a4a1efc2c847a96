import { by, element } from '/pages/dom.js';
import { ask, hasToken } from '/pages/sign-in.js';

const metrics = document.querySelector('meta[name="weir-http-port"]');
if (metrics) by('metrics').href = `${location.protocol}//${location.hostname}:${metrics.content}/metrics`;

ask('/version').then(answer => (answer.ok ? answer.json() : Promise.reject(answer))).then(version => {
  by('version').textContent = `, version ${version.version}`;
}).catch(() => {});

// A link cannot send the token, so the page fetches its target with the token and shows it here.
document.querySelectorAll('a[data-token]').forEach(link => link.addEventListener('click', event => {
  if (!hasToken()) return;
  event.preventDefault();
  show(link.getAttribute('href'));
}));

by('usage').addEventListener('submit', event => {
  event.preventDefault();
  const path = `/admin/v1/usage/${encodeURIComponent(by('key').value.trim())}`;
  if (hasToken()) show(path);
  else location.href = path;
});

async function show(path) {
  by('shown').hidden = false;
  by('shown-path').textContent = path;
  by('shown-text').textContent = 'Loading…';
  try {
    const text = await (await ask(path)).text();
    by('shown-text').textContent = text.startsWith('{') ? JSON.stringify(JSON.parse(text), null, 2) : text;
  } catch (failure) {
    by('shown-text').textContent = `No answer: ${failure.message}`;
  }
  by('shown').scrollIntoView({ block: 'nearest' });
}

by('explain').addEventListener('submit', async event => {
  event.preventDefault();
  const shown = by('explained');
  shown.hidden = false;
  shown.replaceChildren();
  const [domain, ...pairs] = by('asked').value.trim().split(/\s+(?=[^\s=]+=)/);
  const entries = pairs.map(pair => {
    const equals = pair.indexOf('=');
    return { key: pair.slice(0, equals), value: pair.slice(equals + 1) };
  });
  try {
    const answer = await ask('/admin/v1/explain', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ domain, entries }),
    });
    const told = await answer.json();
    if (answer.ok) explain(told, shown);
    else shown.append(element('p', { class: 'wrong' }, told.detail));
  } catch (failure) {
    shown.append(element('p', { class: 'wrong' }, `No answer: ${failure.message}`));
  }
});

function explain(told, into) {
  const met = told.rules.filter(rule => rule.met).length;
  const verdict = met === 0 ? 'No rule applies: it passes.' : told.would_pass ? 'It would pass now.' : 'It would be denied now.';
  into.append(element('p', { class: 'verdict' }, verdict));
  const table = element('table');
  const head = element('tr');
  ['Rule', 'Applies', 'Used', 'Limit', 'Written in'].forEach(title => head.append(element('th', { scope: 'col' }, title)));
  table.append(element('thead'), element('tbody'));
  table.tHead.append(head);
  told.rules.forEach(rule => {
    const row = table.tBodies[0].insertRow();
    const limit = rule.limit;
    const room = rule.has_room === false
      ? `; ${rule.passes_within === undefined ? 'never passes' : `passes in ${rule.passes_within.toFixed(1)} s at the latest`}` : '';
    [
      rule.rule + (rule.mode === 'on' ? '' : ` (${rule.mode})`),
      rule.met ? `yes${rule.counter ? `, for ${rule.counter}` : ''}` : `no: ${rule.why}`,
      rule.used === undefined ? '' : String(rule.used) + room,
      limit ? `${limit.requests} per ${limit.window}${limit.from === 'rule' ? '' : ` (${limit.from})`}` : '',
      rule.source,
    ].forEach(text => { row.insertCell().textContent = text; });
  });
  into.append(table);
}
