import { groupChoices } from '../../groups/reading.ts';
import type { Option } from '../../pages/fields.ts';
import type { Dictionary } from '../../pages/language.ts';
import { segmentNames } from '../../segments/reading.ts';
import type { Page } from '../page.ts';

interface Texts {
  readonly segment: (name: string) => string;
  readonly group: (name: string) => string;
}

const AUDIENCE: Dictionary<Texts> = {
  en: { segment: (name) => `Segment: ${name}`, group: (name) => `Group: ${name}` },
  'pt-BR': { segment: (name) => `Segmento: ${name}`, group: (name) => `Grupo: ${name}` },
};

/**
 * Where problems are shown: the form's field `audience` covers several fields of the operation.
 *
 * @param contacts the field with contacts chosen one by one
 */
export const audienceProblems = (contacts: 'contact_id' | 'contact_ids') => ({
  target: 'audience',
  segment_id: 'audience',
  group_id: 'audience',
  group_ids: 'audience',
  pipeline_id: 'audience',
  unknown_segment: 'audience',
  unknown_group: 'audience',
  unknown_contact: contacts,
  unknown_number: 'number_id',
});

interface Audiences {
  readonly segments: readonly { readonly id: string; readonly name: string }[];
  /** Each choice names the kind and the record, `segment:seg_…` or `group:grp_…`; segments come first. */
  readonly options: readonly Option[];
}

/** All of the workspace's segments and groups to choose from; a group that is known by its messages alone has no name. */
export async function audiencesOf(
  page: Page,
  which: Parameters<typeof groupChoices>[1] = 'all',
): Promise<Audiences> {
  const texts = AUDIENCE[page.lang];
  const segments = await segmentsToldApart(page);
  const groups = await groupChoices(page.ctx, which);
  return {
    segments,
    options: [
      ...segments.map(({ id, name }) => ({ value: `segment:${id}`, label: texts.segment(name) })),
      ...groups.map(({ id, name }) => ({ value: `group:${id}`, label: texts.group(name || id) })),
    ],
  };
}

/** All segments; those of the same name, however it is written, with the time when they were made. */
async function segmentsToldApart(page: Page): Promise<Audiences['segments']> {
  const segments = await segmentNames(page.ctx);
  const heard = (name: string): string => name.trim().toLowerCase();
  const namesakes = Map.groupBy(segments, ({ name }) => heard(name));
  return segments.map(({ id, name, created_at: madeAt }) => {
    const alone = namesakes.get(heard(name))?.length === 1;
    return { id, name: alone ? name : `${name} (${page.format.time(madeAt)})` };
  });
}
