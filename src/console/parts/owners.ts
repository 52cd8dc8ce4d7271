import type { Option } from '../../pages/fields.ts';
import type { Dictionary } from '../../pages/language.ts';
import { staffOf } from '../inbox/participants.ts';
import type { Page } from '../page.ts';

const NOBODY: Dictionary<string> = { en: 'nobody', 'pt-BR': 'ninguém' };

/** Who may be put in charge: nobody, who can have conversations, and who is now. */
export async function ownersFor(page: Page, owner: string | null): Promise<Option[]> {
  const { members, nameOf } = await staffOf(page);
  const others = members.filter(({ id }) => id !== owner);
  const now = owner === null ? [] : [{ id: owner, name: nameOf(owner) ?? owner }];
  return [
    { value: '', label: NOBODY[page.lang] },
    ...[...now, ...others].map(({ id, name }) => ({ value: id, label: name })),
  ];
}
