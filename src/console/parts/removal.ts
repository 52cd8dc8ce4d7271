import type { Permission } from '../../access/permissions.ts';
import type { Context } from '../../context.ts';
import type { Html } from '../../pages/html.ts';
import type { Dictionary } from '../../pages/language.ts';
import { type Action, type Done, idOf, type Page, wasRefused } from '../page.ts';
import { askFirst } from './form.ts';

type Noun = 'automation' | 'form' | 'pipeline';

const TEXTS: Dictionary<{ labels: Readonly<Record<Noun, string>>; lead: string; done: string }> = {
  en: {
    labels: {
      automation: 'Delete the automation',
      form: 'Delete the form',
      pipeline: 'Delete the pipeline',
    },
    lead: 'It goes for good. Only what was never used can be deleted.',
    done: 'It is deleted.',
  },
  'pt-BR': {
    labels: {
      automation: 'Apagar a automação',
      form: 'Apagar o formulário',
      pipeline: 'Apagar o funil',
    },
    lead: 'Não há como desfazer. Só se apaga o que nunca foi usado.',
    done: 'Foi apagado.',
  },
};

/** Takes away a record on which nothing hangs, and leads to the list of those that are left. */
export const removal = (
  permission: Permission,
  list: string,
  remove: (ctx: Context, id: string) => Promise<void>,
): Action => ({
  permission,
  once: true,
  run: async (page): Promise<Done> => {
    await remove(page.ctx, idOf(page));
    return { to: list, flash: { text: TEXTS[page.lang].done } };
  },
});

/** The button of the action `delete`. */
export const removalButton = (page: Page, noun: Noun): Html => {
  const { labels, lead } = TEXTS[page.lang];
  return askFirst(page, 'delete', {
    label: labels[noun],
    lead,
    danger: true,
    open: wasRefused(page, 'delete'),
  });
};
