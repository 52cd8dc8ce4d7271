import type { Html } from '../../pages/html.ts';
import { badge } from '../../pages/parts.ts';
import type { Page } from '../page.ts';
import { DELIVERIES } from './delivery-texts.ts';
import { type FailingTexts, WEBHOOKS } from './texts.ts';
import type { EndpointView, FailingView } from './views.ts';

/** Why an endpoint gets nothing, with what came of its last delivery. */
export function troubleOf(
  { lang }: Page,
  { trouble, code, error }: Omit<FailingView, 'id' | 'name'>,
): FailingTexts {
  const { errors } = DELIVERIES[lang];
  return WEBHOOKS[lang].failing[trouble](String(code ?? errors[error ?? ''] ?? ''));
}

/** How an endpoint stands, and a sentence that begins with its name where it gets nothing although it is active. */
export function standing(
  page: Page,
  { id, name, status }: Pick<EndpointView, 'id' | 'name' | 'status'>,
  failing: readonly FailingView[],
): { readonly mark: Html; readonly says: string | null } {
  const found = failing.find((one) => one.id === id);
  if (!found) {
    const state = WEBHOOKS[page.lang].states[status];
    return { mark: badge(state, status === 'active' ? 'good' : 'warn'), says: null };
  }
  const trouble = troubleOf(page, found);
  return { mark: badge(trouble.badge, 'bad'), says: `${name} ${trouble.says}` };
}
