import type { FormStatus, Outcome } from '../../forms/rules.ts';
import type { Dictionary } from '../../pages/language.ts';

interface Texts {
  readonly nav: string;
  readonly create: string;
  readonly none: string;
  readonly all: string;
  readonly status: string;
  readonly statuses: Readonly<Record<FormStatus, string>>;
  readonly columns: readonly [string, string, string, string];
  readonly title: string;
  readonly description: string;
  readonly fields: string;
  readonly fieldsHint: string;
  /** The first question of a new form. */
  readonly exampleName: string;
  readonly guide: string;
  readonly guideColumns: readonly [string, string];
  readonly guideLead: string;
  readonly thanks: string;
  readonly tag: string;
  readonly tagHint: string;
  readonly automation: string;
  readonly automationHint: string;
  readonly startsNothing: string;
  readonly personal: string;
  readonly personalHint: string;
  readonly save: string;
  readonly created: string;
  readonly saved: string;
  readonly edit: string;
  readonly address: string;
  readonly version: string;
  readonly questions: string;
  readonly questionColumns: readonly [string, string, string, string];
  readonly required: string;
  readonly publish: string;
  readonly published: string;
  readonly unpublish: string;
  readonly unpublishLead: string;
  readonly unpublished: string;
  readonly link: string;
  readonly linkLead: string;
  readonly linkReady: string;
  readonly linkMade: string;
  readonly submissions: string;
  readonly outcome: string;
  readonly outcomes: Readonly<Record<Outcome, string>>;
  readonly noSubmissions: string;
  readonly submissionColumns: readonly [string, string, string, string];
  readonly contact: string;
  readonly gone: string;
  readonly yes: string;
  readonly no: string;
}

export const FORMS: Dictionary<Texts> = {
  en: {
    nav: 'Forms',
    create: 'Write a form',
    none: 'No form here.',
    all: 'all',
    status: 'Status',
    statuses: { draft: 'draft', published: 'published', unpublished: 'taken down' },
    columns: ['Title', 'Status', 'Version', 'Changed'],
    title: 'Title',
    description: 'Description',
    fields: 'Questions',
    fieldsHint: 'As JSON, 1 to 20. A question that keeps its key keeps the answers given to it.',
    exampleName: 'Name',
    guide: 'Types and where answers are saved',
    guideColumns: ['Type', 'May be saved to'],
    guideLead:
      'select and multi_select need options. A required phone saved to phone says who answers; without it use personal links.',
    thanks: 'Said after sending',
    tag: 'Tag for the contact',
    tagHint: 'May stay empty.',
    automation: 'Automation that begins',
    automationHint: 'Its name; may stay empty.',
    startsNothing: 'The automation is not active: answers come in, and it does not begin.',
    personal: 'Personal links',
    personalHint: 'Each link opens the form for one contact, and no phone is asked for.',
    save: 'Save the form',
    created: 'The form is saved. Nobody sees it until it is published.',
    saved: 'The form is changed.',
    edit: 'Change it',
    address: 'Address',
    version: 'Version',
    questions: 'Questions',
    questionColumns: ['Question', 'Type', 'Saved to', 'Options'],
    required: 'required',
    publish: 'Publish',
    published: 'The form is live.',
    unpublish: 'Take it down',
    unpublishLead: 'Its address answers as if it had never been. Submissions stay.',
    unpublished: 'The form is taken down.',
    link: 'Make a personal link',
    linkLead: 'Whoever has it answers as this contact, for 30 days.',
    linkReady: 'The link is made. Copy it now.',
    linkMade: 'The link, shown this once',
    submissions: 'Submissions',
    outcome: 'What became of the contact',
    outcomes: {
      contact_created: 'contact created',
      contact_updated: 'contact updated',
      contact_unchanged: 'contact unchanged',
      contact_conflict: 'in conflict with another contact',
    },
    noSubmissions: 'Nothing was sent in.',
    submissionColumns: ['When', 'Contact', 'Outcome', 'Answers'],
    contact: 'the contact',
    gone: 'deleted',
    yes: 'yes',
    no: 'no',
  },
  'pt-BR': {
    nav: 'Formulários',
    create: 'Escrever um formulário',
    none: 'Nenhum formulário aqui.',
    all: 'todos',
    status: 'Situação',
    statuses: { draft: 'rascunho', published: 'publicado', unpublished: 'fora do ar' },
    columns: ['Título', 'Situação', 'Versão', 'Mudado'],
    title: 'Título',
    description: 'Descrição',
    fields: 'Perguntas',
    fieldsHint:
      'Em JSON, de 1 a 20. Uma pergunta que mantém sua chave (key) mantém as respostas já dadas.',
    exampleName: 'Nome',
    guide: 'Tipos e onde as respostas são salvas',
    guideColumns: ['Tipo', 'Pode ser salvo em'],
    guideLead:
      'select e multi_select precisam de options. Um phone obrigatório salvo em phone diz quem responde; sem ele, use links pessoais.',
    thanks: 'Dito depois do envio',
    tag: 'Etiqueta para o contato',
    tagHint: 'Pode ficar vazia.',
    automation: 'Automação que começa',
    automationHint: 'O nome dela; pode ficar vazio.',
    startsNothing: 'A automação não está ativa: as respostas chegam, e ela não começa.',
    personal: 'Links pessoais',
    personalHint: 'Cada link abre o formulário para um contato, e o telefone não é perguntado.',
    save: 'Salvar o formulário',
    created: 'O formulário foi salvo. Ninguém o vê até ser publicado.',
    saved: 'O formulário foi mudado.',
    edit: 'Mudar',
    address: 'Endereço',
    version: 'Versão',
    questions: 'Perguntas',
    questionColumns: ['Pergunta', 'Tipo', 'Salvo em', 'Opções'],
    required: 'obrigatória',
    publish: 'Publicar',
    published: 'O formulário está no ar.',
    unpublish: 'Tirar do ar',
    unpublishLead: 'O endereço responde como se nunca tivesse existido. O que foi enviado fica.',
    unpublished: 'O formulário saiu do ar.',
    link: 'Criar um link pessoal',
    linkLead: 'Quem o tem responde como este contato, por 30 dias.',
    linkReady: 'O link foi criado. Copie agora.',
    linkMade: 'O link, mostrado só desta vez',
    submissions: 'Respostas',
    outcome: 'O que houve com o contato',
    outcomes: {
      contact_created: 'contato criado',
      contact_updated: 'contato atualizado',
      contact_unchanged: 'contato sem mudança',
      contact_conflict: 'em conflito com outro contato',
    },
    noSubmissions: 'Nada foi enviado.',
    submissionColumns: ['Quando', 'Contato', 'Resultado', 'Respostas'],
    contact: 'o contato',
    gone: 'apagado',
    yes: 'sim',
    no: 'não',
  },
};
