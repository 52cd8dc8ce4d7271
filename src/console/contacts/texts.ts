import type { IMPORT_OUTCOMES, IMPORT_STATUSES } from '../../contacts/rules.ts';
import type { Dictionary } from '../../pages/language.ts';

type ImportStatus = (typeof IMPORT_STATUSES)[number];
type Outcome = (typeof IMPORT_OUTCOMES)[number];

interface Texts {
  readonly nav: string;
  readonly create: string;
  readonly none: string;
  readonly columns: readonly [string, string, string, string];
  readonly optedOut: string;
  readonly optOut: string;
  readonly optOutLead: readonly string[];
  readonly optedOutNow: string;
  readonly optIn: string;
  readonly optInLead: string;
  readonly reason: string;
  readonly reasonHint: string;
  readonly optedIn: string;
  readonly blocked: string;
  readonly name: string;
  readonly phone: string;
  readonly phoneHint: string;
  readonly email: string;
  readonly owner: string;
  readonly tags: string;
  readonly tagsHint: string;
  readonly birth: string;
  readonly yearless: string;
  readonly yearlessHint: string;
  readonly language: string;
  readonly languageHint: string;
  readonly timeZone: string;
  readonly timeZoneHint: string;
  readonly notes: string;
  readonly save: string;
  readonly saved: string;
  readonly created: string;
  readonly change: string;
  readonly fields: string;
  readonly fieldsHint: string;
  readonly conversations: string;
  readonly whose: string;
  readonly write: string;
  readonly text: string;
  readonly textHint: string;
  readonly number: string;
  readonly send: string;
  readonly sent: string;
  readonly csv: string;
  readonly imports: string;
  readonly import: string;
  readonly importLead: string;
  readonly file: string;
  readonly fileHint: (megabytes: string) => string;
  readonly begun: string;
  readonly stop: string;
  readonly stopped: string;
  readonly noImports: string;
  readonly importColumns: readonly [string, string, string, string];
  readonly importStatuses: Readonly<Record<ImportStatus, string>>;
  readonly outcomes: Readonly<Record<Outcome, string>>;
  readonly rows: string;
  readonly all: string;
  readonly progress: string;
  readonly noRows: string;
  readonly rowsGone: string;
  readonly rowColumns: readonly [string, string, string];
}

export const CONTACTS: Dictionary<Texts> = {
  en: {
    nav: 'Contacts',
    create: 'Add a contact',
    none: 'No contact here.',
    columns: ['Name', 'Phone', 'E-mail', 'Tags'],
    optedOut: 'wants no messages',
    optOut: 'Note that they want no messages',
    optOutLead: [
      'For a person who said so in other words, by phone or by e-mail.',
      'Campaigns and automations no longer reach them, from any of your numbers, and reminders only where they say so. Your team can still reply. Taking it back needs a written reason.',
    ],
    optedOutNow: 'It is noted: the contact wants no messages.',
    optIn: 'Take the opt-out back',
    optInLead: 'Only if the person asked for it. Campaigns then reach them again.',
    reason: 'Reason',
    reasonHint: 'What the person said, how and when. It stays in the audit log.',
    optedIn: 'The contact gets messages again.',
    blocked: 'blocked',
    name: 'Name',
    phone: 'Phone',
    phoneHint: 'With + and the country code, as +55 11 98765-4321.',
    email: 'E-mail',
    owner: 'In charge',
    tags: 'Tags',
    tagsHint: 'One on each line.',
    birth: 'Date of birth',
    yearless: 'The year is not known',
    yearlessHint: 'Then only day and month count: any year will do.',
    language: 'Language',
    languageHint: 'As pt-BR.',
    timeZone: 'Time zone',
    timeZoneHint: 'Automations go by it. Empty: by that of the workspace. As America/Manaus.',
    notes: 'Notes',
    save: 'Save',
    saved: 'The contact is saved.',
    created: 'The contact is added.',
    change: 'Change the contact',
    fields: 'Other fields',
    fieldsHint:
      'One on each line, as city: Recife. In messages, segments and automations it is custom.city.',
    conversations: 'Conversations',
    whose: 'Open that contact',
    write: 'Write a message',
    text: 'Message',
    textHint:
      'A number of WhatsApp takes it only within 24 hours of what the contact wrote last; outside them, templates alone.',
    number: 'Number that sends it',
    send: 'Send',
    sent: 'The message is on its way.',
    csv: 'All as a CSV file',
    imports: 'Imports',
    import: 'Import contacts',
    importLead:
      'The first line of the file names the columns: name, phone, email, tags (separated by semicolons: vip;new), and others as custom.city. Whoever is known by id, phone or e-mail is changed, not added again. Who has true under opted_out wants no messages, and who has it under blocked is blocked; no file takes either back. The file of all contacts can be imported as it is; one that is too large in parts, each with its first line.',
    file: 'CSV file',
    fileHint: (megabytes) => `At most ${megabytes} MB.`,
    begun: 'The import has begun.',
    stop: 'Stop the import',
    stopped: 'The import is stopped. Who is in stays in.',
    noImports: 'No import yet.',
    importColumns: ['File', 'Status', 'Rows', 'Begun'],
    importStatuses: {
      pending: 'waiting',
      running: 'running',
      done: 'done',
      cancelled: 'stopped',
      failed: 'failed',
    },
    outcomes: {
      created: 'added',
      updated: 'changed',
      unchanged: 'as before',
      failed: 'not taken',
    },
    rows: 'Rows',
    all: 'all',
    progress: 'Progress',
    noRows: 'No row here.',
    rowsGone: 'Rows are kept for 30 days after the end of an import. Its counts stay.',
    rowColumns: ['Line', 'What became of it', 'Why'],
  },
  'pt-BR': {
    nav: 'Contatos',
    create: 'Adicionar um contato',
    none: 'Nenhum contato aqui.',
    columns: ['Nome', 'Telefone', 'E-mail', 'Etiquetas'],
    optedOut: 'não quer mensagens',
    optOut: 'Anotar que não quer mensagens',
    optOutLead: [
      'Para quem disse isso com outras palavras, por telefone ou por e-mail.',
      'Campanhas e automações deixam de chegar a essa pessoa, em todos os seus números, e lembretes só chegam onde isso está marcado. Sua equipe ainda pode responder. Voltar atrás exige um motivo por escrito.',
    ],
    optedOutNow: 'Anotado: o contato não quer mensagens.',
    optIn: 'Voltar a enviar mensagens',
    optInLead: 'Só se a pessoa pediu. As campanhas voltam a chegar a ela.',
    reason: 'Motivo',
    reasonHint: 'O que a pessoa disse, como e quando. Fica na auditoria.',
    optedIn: 'O contato volta a receber mensagens.',
    blocked: 'bloqueado',
    name: 'Nome',
    phone: 'Telefone',
    phoneHint: 'Com + e código do país, como +55 11 98765-4321.',
    email: 'E-mail',
    owner: 'Responsável',
    tags: 'Etiquetas',
    tagsHint: 'Uma em cada linha.',
    birth: 'Data de nascimento',
    yearless: 'Não se sabe o ano',
    yearlessHint: 'Só contam o dia e o mês: qualquer ano serve.',
    language: 'Idioma',
    languageHint: 'Como pt-BR.',
    timeZone: 'Fuso horário',
    timeZoneHint:
      'As automações seguem este fuso. Vazio: o do espaço de trabalho. Como America/Manaus.',
    notes: 'Anotações',
    save: 'Salvar',
    saved: 'O contato foi salvo.',
    created: 'O contato foi adicionado.',
    change: 'Mudar o contato',
    fields: 'Outros campos',
    fieldsHint:
      'Um em cada linha, como cidade: Recife. Em mensagens, segmentos e automações é custom.cidade.',
    conversations: 'Conversas',
    whose: 'Abrir esse contato',
    write: 'Escrever uma mensagem',
    text: 'Mensagem',
    textHint:
      'Um número de WhatsApp só a aceita até 24 horas depois do que o contato escreveu por último; fora disso, só modelos.',
    number: 'Número que envia',
    send: 'Enviar',
    sent: 'A mensagem está a caminho.',
    csv: 'Todos em um arquivo CSV',
    imports: 'Importações',
    import: 'Importar contatos',
    importLead:
      'A primeira linha do arquivo nomeia as colunas: name, phone, email, tags (separadas por ponto e vírgula: vip;novo), e outras como custom.city. Quem já é conhecido pelo id, telefone ou e-mail é mudado, não repetido. Quem tem true em opted_out não quer mensagens, e quem tem true em blocked fica bloqueado; nenhum arquivo desfaz isso. O arquivo de todos os contatos pode ser importado como está; um grande demais, em partes, cada uma com a primeira linha dele.',
    file: 'Arquivo CSV',
    fileHint: (megabytes) => `No máximo ${megabytes} MB.`,
    begun: 'A importação começou.',
    stop: 'Parar a importação',
    stopped: 'A importação parou. Quem entrou fica.',
    noImports: 'Nenhuma importação ainda.',
    importColumns: ['Arquivo', 'Situação', 'Linhas', 'Começo'],
    importStatuses: {
      pending: 'aguardando',
      running: 'em andamento',
      done: 'concluída',
      cancelled: 'parada',
      failed: 'falhou',
    },
    outcomes: {
      created: 'adicionado',
      updated: 'mudado',
      unchanged: 'como antes',
      failed: 'não entrou',
    },
    rows: 'Linhas',
    all: 'todas',
    progress: 'Andamento',
    noRows: 'Nenhuma linha aqui.',
    rowsGone:
      'As linhas ficam guardadas por 30 dias após o fim da importação. Os números continuam aqui.',
    rowColumns: ['Linha', 'O que aconteceu', 'Por quê'],
  },
};
