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

interface Standing {
  readonly mark: Html;
  /** Begins with the endpoint's name. Null unless it gets less than all although it is active. */
  readonly says: string | null;
  /** Whether something waits until somebody resumes it. */
  readonly resumable: boolean;
}

/** How an endpoint stands, and what of it needs somebody. */
export function standing(
  page: Page,
  { id, name, status }: Pick<EndpointView, 'id' | 'name' | 'status'>,
  failing: readonly FailingView[],
): Standing {
  const found = failing.find((one) => one.id === id);
  if (!found) {
    const state = WEBHOOKS[page.lang].states[status];
    const paused = status === 'paused';
    return { mark: badge(state, paused ? 'warn' : 'good'), says: null, resumable: paused };
  }
  const trouble = troubleOf(page, found);
  return {
    mark: badge(trouble.badge, 'bad'),
    says: `${name} ${trouble.says}`,
    resumable: found.trouble === 'held',
  };
}
