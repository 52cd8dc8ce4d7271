import { unavailable } from '../../errors.ts';
import type { Account, RemoteTemplate } from '../port.ts';
import { type GraphClient, pathOf } from './client.ts';
import { templatesAnswer } from './wire.ts';

const FIELDS = 'name,language,status,category,components';
const PAGE = 100;
/** An account has at most a few thousand templates, so more pages than this are a loop. */
const MOST_PAGES = 100;

/**
 * All templates of a business account, page by page. A page may be short, even empty: only one that names no next is the
 * last. Throws `unavailable` rather than return a part, because templates that are missing are taken for deleted.
 */
export async function templates(
  client: GraphClient,
  { id, accessToken }: Account,
  signal?: AbortSignal,
): Promise<RemoteTemplate[]> {
  const found: RemoteTemplate[] = [];
  let after = '';
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const cursor = after ? `&after=${encodeURIComponent(after)}` : '';
    const path = `${pathOf({ id }, '/message_templates')}?fields=${FIELDS}&limit=${PAGE}${cursor}`;
    const answer = await client.call({ method: 'GET', path, accessToken, signal });
    if (answer.status !== 200) throw unavailable(`WhatsApp answered ${answer.status}.`);
    const { data, paging } = templatesAnswer.parse(JSON.parse(answer.body));
    found.push(
      ...data.map(({ name, language, status, category, components }) => ({
        name,
        language,
        status,
        category,
        components,
      })),
    );
    if (!paging?.next) return found;
    after = paging.cursors?.after ?? '';
  }
  throw unavailable('WhatsApp listed templates without an end.');
}
