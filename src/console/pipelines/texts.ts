import type { Dictionary } from '../../pages/language.ts';
import type { StageKind } from '../../pipelines/rules.ts';

interface Texts {
  readonly nav: string;
  readonly none: string;
  readonly columns: readonly [string, string, string];
  readonly create: string;
  readonly name: string;
  readonly stagesOf: Readonly<Record<StageKind, string>>;
  readonly stagesHint: string;
  readonly save: string;
  readonly created: string;
  readonly arrange: string;
  readonly kinds: Readonly<Record<StageKind, string>>;
  readonly rename: string;
  readonly renamed: string;
  readonly stages: string;
  readonly stage: string;
  readonly kind: string;
  readonly addStage: string;
  readonly place: string;
  readonly move: string;
  readonly moved: string;
  readonly remove: string;
  readonly removeLead: string;
  readonly changed: string;
  readonly empty: string;
  readonly more: string;
  readonly all: string;
  readonly newDeal: string;
  readonly deals: string;
  readonly dealColumns: readonly [string, string, string, string, string, string];
  readonly noDeals: string;
  readonly title: string;
  readonly titleHint: string;
  readonly valueHint: string;
  readonly amount: string;
  readonly wrongValue: string;
  readonly currency: string;
  readonly currencyHint: string;
  readonly saveDeal: string;
  readonly dealSaved: string;
  readonly changeDeal: string;
  readonly deleteDeal: string;
  readonly deleteLead: string;
  readonly dealDeleted: string;
  readonly contact: string;
  readonly owner: string;
  readonly nobody: string;
  readonly since: string;
  readonly closed: string;
  readonly reason: string;
  readonly reasonHint: string;
  readonly conversation: string;
  readonly moveDeal: string;
  readonly dealMoved: string;
  readonly moveTo: (title: string) => string;
  readonly moveThis: (title: string) => string;
}

export const PIPELINES: Dictionary<Texts> = {
  en: {
    nav: 'Pipelines',
    none: 'No pipeline yet.',
    columns: ['Name', 'Stages', 'Created'],
    create: 'Create a pipeline',
    name: 'Name',
    stagesOf: { open: 'Open stages', won: 'Won stages', lost: 'Lost stages' },
    stagesHint: 'One a line, in their order.',
    save: 'Save the pipeline',
    created: 'The pipeline is ready.',
    arrange: 'Name and stages',
    kinds: { open: 'open', won: 'won', lost: 'lost' },
    rename: 'Save the name',
    renamed: 'The name is changed.',
    stages: 'Stages',
    stage: 'Stage',
    kind: 'Kind',
    addStage: 'Add a stage',
    place: 'Place',
    move: 'Move',
    moved: 'The stage stands in its new place.',
    remove: 'Remove',
    removeLead:
      'Only an empty stage that no number, campaign, automation or segment uses can be removed.',
    changed: 'The stages are changed.',
    empty: 'No deal here.',
    more: 'All deals of this stage',
    all: 'all',
    newDeal: 'Add a deal',
    deals: 'Deals',
    dealColumns: ['Title', 'Contact', 'Stage', 'Value', 'Owner', 'In it since'],
    noDeals: 'No deal here.',
    title: 'Title',
    titleHint: 'The contact’s name when left empty.',
    valueHint: 'As 1250.00; may stay empty.',
    amount: 'Value',
    wrongValue: 'Write an amount such as 1250.00.',
    currency: 'Currency',
    currencyHint: 'Its three letters, as BRL.',
    saveDeal: 'Save the deal',
    dealSaved: 'The deal is saved.',
    changeDeal: 'Change the deal',
    deleteDeal: 'Delete the deal',
    deleteLead:
      'For a deal that was made by mistake; it cannot be undone. One that came to nothing is moved to a lost stage instead.',
    dealDeleted: 'The deal is deleted.',
    contact: 'Contact',
    owner: 'Owner',
    nobody: 'nobody',
    since: 'In this stage since',
    closed: 'Closed',
    reason: 'Why it was lost',
    reasonHint: 'Only for a lost stage; may stay empty.',
    conversation: 'Conversation',
    moveDeal: 'Move the deal',
    dealMoved: 'The deal is moved.',
    moveTo: (title) => `Move ${title} to`,
    moveThis: (title) => `Move ${title}`,
  },
  'pt-BR': {
    nav: 'Funis',
    none: 'Nenhum funil ainda.',
    columns: ['Nome', 'Etapas', 'Criado'],
    create: 'Criar um funil',
    name: 'Nome',
    stagesOf: { open: 'Etapas abertas', won: 'Etapas ganhas', lost: 'Etapas perdidas' },
    stagesHint: 'Uma por linha, na ordem.',
    save: 'Salvar o funil',
    created: 'O funil está pronto.',
    arrange: 'Nome e etapas',
    kinds: { open: 'aberta', won: 'ganha', lost: 'perdida' },
    rename: 'Salvar o nome',
    renamed: 'O nome foi mudado.',
    stages: 'Etapas',
    stage: 'Etapa',
    kind: 'Tipo',
    addStage: 'Acrescentar uma etapa',
    place: 'Lugar',
    move: 'Mover',
    moved: 'A etapa está no lugar novo.',
    remove: 'Remover',
    removeLead:
      'Só uma etapa vazia, que nenhum número, campanha, automação ou segmento usa, pode ser removida.',
    changed: 'As etapas foram mudadas.',
    empty: 'Nenhum negócio aqui.',
    more: 'Todos os negócios desta etapa',
    all: 'todas',
    newDeal: 'Acrescentar um negócio',
    deals: 'Negócios',
    dealColumns: ['Título', 'Contato', 'Etapa', 'Valor', 'Responsável', 'Nela desde'],
    noDeals: 'Nenhum negócio aqui.',
    title: 'Título',
    titleHint: 'O nome do contato quando fica vazio.',
    valueHint: 'Como 1250,00; pode ficar vazio.',
    amount: 'Valor',
    wrongValue: 'Escreva um valor como 1250,00.',
    currency: 'Moeda',
    currencyHint: 'As três letras, como BRL.',
    saveDeal: 'Salvar o negócio',
    dealSaved: 'O negócio foi salvo.',
    changeDeal: 'Mudar o negócio',
    deleteDeal: 'Apagar o negócio',
    deleteLead:
      'Para um negócio criado por engano; não se pode desfazer. Um que não deu em nada é movido para uma etapa perdida.',
    dealDeleted: 'O negócio foi apagado.',
    contact: 'Contato',
    owner: 'Responsável',
    nobody: 'ninguém',
    since: 'Nesta etapa desde',
    closed: 'Fechado',
    reason: 'Por que foi perdido',
    reasonHint: 'Só para uma etapa perdida; pode ficar vazio.',
    conversation: 'Conversa',
    moveDeal: 'Mover o negócio',
    dealMoved: 'O negócio foi movido.',
    moveTo: (title) => `Mover ${title} para`,
    moveThis: (title) => `Mover ${title}`,
  },
};
