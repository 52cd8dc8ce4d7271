import type { Dictionary } from '../../pages/language.ts';

interface Texts {
  readonly search: string;
  readonly searchLabel: string;
  readonly everybody: string;
  readonly more: string;
  readonly tag: string;
  readonly wishes: string;
  readonly wish: Readonly<Record<'true' | 'false', string>>;
  readonly anybody: string;
  readonly filter: string;
}

/** What the list of contacts is narrowed by. */
export const LIST: Dictionary<Texts> = {
  en: {
    search: 'Search',
    searchLabel: 'Name, phone or e-mail',
    everybody: 'Show everybody',
    more: 'More filters',
    tag: 'Tag',
    wishes: 'Messages',
    wish: { true: 'wants no messages', false: 'may get messages' },
    anybody: 'everybody',
    filter: 'Filter',
  },
  'pt-BR': {
    search: 'Buscar',
    searchLabel: 'Nome, telefone ou e-mail',
    everybody: 'Mostrar todos',
    more: 'Mais filtros',
    tag: 'Etiqueta',
    wishes: 'Mensagens',
    wish: { true: 'não quer mensagens', false: 'pode receber mensagens' },
    anybody: 'todos',
    filter: 'Filtrar',
  },
};
