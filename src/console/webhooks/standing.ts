import type { Html } from '../../pages/html.ts';
import { badge } from '../../pages/parts.ts';
import type { Page } from '../page.ts';
import { WEBHOOKS } from './texts.ts';
import type { EndpointView, FailingView } from './views.ts';

/** How an endpoint stands, and a sentence that begins with its name where it gets nothing although it is active. */
export function standing(
  { lang }: Page,
  { id, name, status }: Pick<EndpointView, 'id' | 'name' | 'status'>,
  failing: readonly FailingView[],
): { readonly mark: Html; readonly says: string | null } {
  const texts = WEBHOOKS[lang];
  const found = failing.find((one) => one.id === id);
  if (!found)
    return { mark: badge(texts.states[status], status === 'active' ? 'good' : 'warn'), says: null };
  const trouble = texts.failing[found.trouble];
  return { mark: badge(trouble.badge, 'bad'), says: `${name} ${trouble.says}` };
}
