import { describe, expect, it } from '@jest/globals';
import { contactRoutes } from '../../src/contacts/routes.ts';
import { openApi } from '../support/api.ts';
import { opened } from '../support/opened.ts';

const door = opened(() => openApi({ routes: contactRoutes }));

/** What the API says of a contact who is given this e-mail address. */
async function given(email: string): Promise<unknown> {
  const { body: contact } = await door.call('POST', '/contacts', { name: 'Ana' });
  const { status, body } = await door.call('PATCH', `/contacts/${contact.id}`, { email });
  if (status !== 200) return body.error.details[0];
  return (await door.call('GET', `/contacts/${contact.id}`)).body.email;
}

describe('the e-mail address of a contact', () => {
  it.each([
    'ana@exemplo.com.br',
    'Ana.Souza+loja@Exemplo.com',
    'compras&vendas@exemplo.com',
    "d'avila@exemplo.com",
    'ana/loja=1@exemplo.com',
    '!#$%*?^`{|}~@exemplo.com',
    // Real ones of Japan's mobile networks.
    '..ana..b.@exemplo.ne.jp',
    'ana@xn--exmplo-bva.com',
    `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.com`,
  ])('is kept where a browser would take it: %s', async (email) => {
    expect(await given(email)).toBe(email);
  });

  it.each([
    ['', 'format'],
    ['ana', 'format'],
    ['ana@exemplo', 'format'],
    ['@exemplo.com', 'format'],
    ['ana@.com', 'format'],
    ['ana@exemplo.com.', 'format'],
    ['ana@-exemplo.com', 'format'],
    ['ana @exemplo.com', 'format'],
    [' ana@exemplo.com', 'format'],
    ['ana@exemplo.com\n', 'format'],
    ['ana@exemplo.com,bia@exemplo.com', 'format'],
    ['<ana@exemplo.com>', 'format'],
    ['ana@b@exemplo.com', 'format'],
    [`ana@${'b'.repeat(64)}.com`, 'format'],
    [`${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(58)}.com`, 'max_length'],
  ])('is refused by its name: %j', async (email, rule) => {
    expect(await given(email)).toMatchObject({ path: 'email', rule });
  });
});
