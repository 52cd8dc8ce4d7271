import { beforeEach, describe, expect, it } from '@jest/globals';
import { aForm, NAME, PHONE } from '../support/factories/forms.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import {
  aFormScene,
  aPhone,
  fillIn,
  freshCounters,
  openPage,
  sendPage,
  submissionsOf,
} from './support/scene.ts';

const scene = opened(aFormScene);
beforeEach(() => freshCounters(scene.database));

const UNKNOWN = 'frm_01JD8B6V0R5Q9T3XK2M7N4P1WZ';

describe('the public page', () => {
  it('carries its style and no script, under a policy that allows nothing else', async () => {
    const { id } = await aForm(scene.ctx);
    const { html, headers } = await openPage(scene, `/f/${id}`);

    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(html).not.toMatch(/<script| on\w+=|style="/);
    expect(Buffer.byteLength(html)).toBeLessThan(10_000);
  });

  it('shows what the workspace wrote as text, whatever it looks like', async () => {
    const evil = `"><script>alert(1)</script><img src=x onerror='x'>&amp;`;
    const { id } = await aForm(scene.ctx, {
      title: evil,
      description: evil,
      thanks: evil,
      fields: [PHONE, { label: evil }, { type: 'select', label: 'S', options: [`${evil}1`] }],
    });

    const page = await openPage(scene, `/f/${id}`);
    const sent = await fillIn(scene, id, { whatsapp: aPhone().written });
    const wrong = await fillIn(scene, id, { whatsapp: evil });

    for (const html of [page.html, sent.text, wrong.text]) {
      expect(html).not.toMatch(/<script|<img/);
      expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    }
  });

  it('speaks the language of the workspace, and English where it has no other', async () => {
    const { id } = await aForm(scene.ctx);
    const speak = async (language: string) => {
      await rowsOf(scene.ctx, 'update workspaces set language = $1', [language]);
      return (await fillIn(scene, id, {})).text;
    };

    const pt = await speak('pt-PT');
    const en = await speak('en-US');
    const de = await speak('de');
    await rowsOf(scene.ctx, `update workspaces set language = 'pt-BR'`);

    expect(pt).toContain('Preencha este campo.');
    expect(en).toContain('<html lang="en">');
    expect(en).toContain('Fill in this field.');
    expect(de).toContain('Fill in this field.');
  });

  it('reads a phone in the country of the workspace', async () => {
    const { id } = await aForm(scene.ctx);
    await rowsOf(scene.ctx, `update workspaces set language = 'en-US'`);

    const reply = await fillIn(scene, id, { whatsapp: '(415) 555-2671' });
    await rowsOf(scene.ctx, `update workspaces set language = 'pt-BR'`);

    expect(reply.status).toBe(200);
    const [kept] = await submissionsOf(scene, id);
    expect(kept?.answers['whatsapp']?.value).toBe('+14155552671');
  });

  it('asks for the country code where the language tells no country', async () => {
    const { id } = await aForm(scene.ctx);
    await rowsOf(scene.ctx, `update workspaces set language = 'en'`);

    const refused = await fillIn(scene, id, { whatsapp: '(415) 555-2671' });
    const taken = await fillIn(scene, id, { whatsapp: '+1 415 555 2671' });
    await rowsOf(scene.ctx, `update workspaces set language = 'pt-BR'`);

    expect([refused.status, taken.status]).toEqual([422, 200]);
    expect(refused.text).toContain('Write it with + and the country code.');
    expect(refused.text).not.toContain('area code');
    const kept = await submissionsOf(scene, id);
    expect(kept.map(({ answers }) => answers['whatsapp']?.value)).toEqual(['+14155552671']);
  });

  it('never ticks consent by itself, whatever its address says', async () => {
    const { id } = await aForm(scene.ctx, {
      fields: [PHONE, { type: 'consent', label: 'Aceito' }],
    });

    const { html } = await openPage(scene, `/f/${id}?a_aceito=1&aceito=1&checked=1`);

    expect(html).toContain('name="a_aceito"');
    expect(html).not.toMatch(/checked/);
  });

  it('says in words that one of several boxes is required, and of no other ones', async () => {
    const several = { type: 'multi_select' as const, options: ['Nozes', 'Coco'] };
    const { id } = await aForm(scene.ctx, {
      fields: [
        PHONE,
        { ...several, label: 'Sabores', required: true },
        { ...several, label: 'Extras' },
      ],
    });
    const legends = async () => {
      const { html } = await openPage(scene, `/f/${id}`);
      return [...html.matchAll(/<legend>(.*?)<\/legend>/g)].map(([, inner = '']) =>
        inner.replaceAll(/<span[^>]*aria-hidden[^>]*>.*?<\/span>|<[^>]*>/g, ''),
      );
    };

    const pt = await legends();
    await rowsOf(scene.ctx, `update workspaces set language = 'en-US'`);
    const en = await legends();
    await rowsOf(scene.ctx, `update workspaces set language = 'pt-BR'`);

    expect(pt).toEqual(['Sabores (obrigatório)', 'Extras']);
    expect(en).toEqual(['Sabores (required)', 'Extras']);
  });

  it('is the same page not found for a draft, for one taken down, and for one that never was', async () => {
    const { id } = await aForm(scene.ctx, { draft: true });
    const pages = await Promise.all(
      [id, UNKNOWN, 'x', 'frm_x', `${UNKNOWN}'`, '%00', '__proto__'].map((one) =>
        openPage(scene, `/f/${one}`),
      ),
    );

    expect(pages.map(({ status }) => status)).toEqual(Array(7).fill(404));
    expect(new Set(pages.map(({ html }) => html)).size).toBe(1);
    const posted = await sendPage(scene, id, { token: 'x' });
    expect([posted.status, posted.text]).toEqual([404, pages[0]?.html]);
  });
});

describe('what the page refuses', () => {
  it('refuses a filled trap with 422 and keeps nothing', async () => {
    const { id } = await aForm(scene.ctx);
    const answers = { whatsapp: aPhone().written };

    const reply = await fillIn(scene, id, answers, { contact_url: 'http://spam.example' });

    expect(reply.status).toBe(422);
    expect(reply.text).toContain(answers.whatsapp);
    expect(await submissionsOf(scene, id)).toEqual([]);
  });

  it('refuses an address that sends too often with 429, says when to come back, and keeps what was written', async () => {
    const { id } = await aForm(scene.ctx);
    const { token } = await openPage(scene, `/f/${id}`);
    const send = (whatsapp: string) => sendPage(scene, id, { token, answers: { whatsapp } });
    for (let i = 0; i < 30; i += 1) expect((await send('x')).status).toBe(422);

    const refused = await send('11 91234-5678');

    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.text).toContain('value="11 91234-5678"');
    expect(await submissionsOf(scene, id)).toEqual([]);
  });

  it('takes only its own token, of this form and this day, and offers a new one', async () => {
    const form = await aForm(scene.ctx);
    const other = await aForm(scene.ctx);
    const { token } = await openPage(scene, `/f/${form.id}`);
    const foreign = (await openPage(scene, `/f/${other.id}`)).token;
    const answers = { whatsapp: aPhone().written };
    const send = (one: string) => sendPage(scene, form.id, { token: one, answers });
    const [nonce, time, mac] = token.split('.');

    for (const bad of [
      '',
      'x',
      foreign,
      `${nonce}.${time}.${mac?.toUpperCase()}`,
      `${nonce}.1${time}.${mac}`,
    ])
      expect((await send(bad)).status).toBe(422);
    scene.setNow(new Date(Date.now() + 25 * 3_600_000));
    const late = await send(token);
    scene.setNow(null);

    expect(late.status).toBe(422);
    expect(late.text).toContain('ficou aberta por muito tempo');
    const renewed = /name="token" value="([^"]+)"/.exec(late.text)?.[1] ?? '';
    expect(renewed).not.toBe(token);
    expect(await submissionsOf(scene, form.id)).toEqual([]);
    expect((await send(token)).status).toBe(200);
  });

  it('names each problem beside its field, and keeps what was written', async () => {
    const { id } = await aForm(scene.ctx, {
      fields: [
        { ...NAME, required: true },
        PHONE,
        { type: 'consent', label: 'Aceito', required: true },
        { type: 'select', label: 'Turno', options: ['Manhã'] },
      ],
    });

    const { status, text } = await fillIn(scene, id, {
      nome_completo: 'x'.repeat(201),
      whatsapp: '12',
      turno: 'Noite',
    });

    expect(status).toBe(422);
    expect(text).toContain(
      '<p class="problem" id="f-nome_completo-problem">Use no máximo 200 caracteres.</p>',
    );
    expect(text).toContain('id="f-whatsapp-problem"');
    expect(text).toContain('<p class="problem" id="f-aceito-problem">Marque esta caixa');
    expect(text).toContain('<p class="problem" id="f-turno-problem">Escolha uma das opções');
    expect(text).toContain('value="12"');
  });

  it.each([
    ['JSON', { 'content-type': 'application/json' }, '{}', 415],
    ['a body over its limit', {}, `a=${'x'.repeat(700_000)}`, 413],
    ['broken escapes', {}, 'token=%zz', 400],
  ])('answers %s with a page', async (_, headers, body, status) => {
    const { id } = await aForm(scene.ctx);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const reply = await scene.api.call('POST', `/f/${id}`, {
      body,
      headers: { ...form, ...headers },
    });

    expect(reply.status).toBe(status);
    expect(reply.headers.get('content-type')).toMatch(/^text\/html/);
  });
});
