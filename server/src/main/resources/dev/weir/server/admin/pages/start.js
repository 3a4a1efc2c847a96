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
  try {
    const answer = await ask('/admin/v1/explain', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ line: by('asked').value }),
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
  into.append(element('p', { class: met > 0 && !told.would_pass ? 'verdict wrong' : 'verdict' }, verdict));
  const denied = told.denied_on || [];
  if (denied.length) into.append(element('p', { class: 'verdict wrong' }, `Denied on: ${denied.join(', ')}`));
  if (told.note) into.append(element('p', { class: 'quiet' }, `Note: ${told.note}`));
  const elsewhere = (told.elsewhere || []).map(rule => ({ ...rule, elsewhere: true }));
  const named = new Set(elsewhere.map(rule => rule.rule));
  into.append(counters(told.rules.filter(rule => rule.met || !named.has(rule.rule)).concat(elsewhere)));
}

function limitText(limit) {
  const holdsMore = !limit.algorithm.includes('window') && limit.burst !== limit.requests;
  return `${limit.requests} per ${limit.window}${holdsMore ? `, burst ${limit.burst}` : ''}${limit.from === 'rule' ? '' : ` (${limit.from})`}`;
}

function counters(rules) {
  const table = element('table');
  const head = element('tr');
  ['Rule', 'Applies', 'Used', 'Limit', 'Written in'].forEach(title => head.append(element('th', { scope: 'col' }, title)));
  table.append(element('thead'), element('tbody'));
  table.tHead.append(head);
  rules.forEach(rule => {
    const row = table.tBodies[0].insertRow();
    const limit = rule.limit;
    const room = rule.has_room === false
      ? `; ${rule.retry_after === undefined ? 'never passes' : `passes in ${Math.ceil(rule.retry_after)} s`}` : '';
    if (rule.has_room === false) row.className = 'denied';
    [
      rule.rule + (rule.mode === 'on' ? '' : ` (${rule.mode})`),
      rule.met ? `${rule.elsewhere ? `if ${rule.why}` : 'yes'}${rule.counter ? `, for ${rule.counter}` : ''}` : `no: ${rule.why}`,
      rule.used === undefined ? '' : String(rule.used) + room,
      limit ? limitText(limit) : '',
      rule.source,
    ].forEach(text => { row.insertCell().textContent = text; });
  });
  return table;
}
