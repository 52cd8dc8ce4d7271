import type { Dictionary } from '../../pages/language.ts';

interface Texts {
  readonly nav: string;
  readonly lead: string;
  readonly create: string;
  readonly none: string;
  readonly columns: readonly [string, string, string, string];
  readonly name: string;
  readonly rules: string;
  readonly rulesHint: string;
  readonly guide: string;
  readonly guideLead: string;
  readonly guideColumns: readonly [string, string];
  readonly preview: string;
  readonly matches: (count: string) => string;
  readonly save: string;
  readonly created: (count: string) => string;
  readonly saved: string;
  readonly edit: string;
  readonly count: string;
  readonly counted: string;
  readonly usedBy: string;
  readonly unused: string;
  readonly uses: Readonly<Record<'campaigns' | 'reminders' | 'automations', string>>;
  readonly usedLead: string;
  /** To those who see less than the workspace, of rules about what they see. */
  readonly inPart: string;
  readonly contacts: string;
  readonly contactColumns: readonly [string, string, string];
  readonly nobody: string;
  readonly optedOut: string;
  readonly tooHeavy: string;
  readonly remove: string;
  readonly removeLead: string;
  readonly removed: string;
}

export const SEGMENTS: Dictionary<Texts> = {
  en: {
    nav: 'Segments',
    lead: 'Contacts that match rules, found anew whenever they are asked for.',
    create: 'Create a segment',
    none: 'No segment yet.',
    columns: ['Name', 'Contacts', 'Counted', 'Used by'],
    name: 'Name',
    rules: 'Rules',
    rulesHint: 'As JSON: conditions with field, op and value, in groups all, any and not.',
    guide: 'Fields and operations',
    guideLead:
      'Times take a date, or a duration such as P90D with in_last. empty and not_empty take no value; in, has_any, has_all and has_none take a list.',
    guideColumns: ['Field', 'Operations'],
    preview: 'Count without saving',
    matches: (count) => `Matching now: ${count}`,
    save: 'Save the segment',
    created: (count) => `The segment is saved. Matching now: ${count}.`,
    saved: 'The segment is changed.',
    edit: 'Change it',
    count: 'Contacts',
    counted: 'Counted',
    usedBy: 'Used by',
    unused: 'nothing',
    uses: { campaigns: 'campaigns', reminders: 'reminders', automations: 'automations' },
    usedLead: 'Whatever uses this segment goes by the new rules as soon as they are saved.',
    inPart:
      'Only the deals, conversations, runs and campaigns that you see are asked here; what uses the segment reaches everybody who matches.',
    contacts: 'Who matches now',
    contactColumns: ['Name', 'Phone', 'E-mail'],
    nobody: 'Nobody matches.',
    optedOut: 'opted out',
    tooHeavy: 'These rules take too long to be counted. Use fewer conditions.',
    remove: 'Delete the segment',
    removeLead: 'No contact is deleted. It must not be used by anything any more.',
    removed: 'The segment is deleted.',
  },
  'pt-BR': {
    nav: 'Segmentos',
    lead: 'Contatos que atendem a regras, procurados de novo sempre que são pedidos.',
    create: 'Criar um segmento',
    none: 'Nenhum segmento ainda.',
    columns: ['Nome', 'Contatos', 'Contado', 'Usado por'],
    name: 'Nome',
    rules: 'Regras',
    rulesHint: 'Em JSON: condições com field, op e value, em grupos all, any e not.',
    guide: 'Campos e operações',
    guideLead:
      'Momentos levam uma data, ou uma duração como P90D com in_last. empty e not_empty não levam valor; in, has_any, has_all e has_none levam uma lista.',
    guideColumns: ['Campo', 'Operações'],
    preview: 'Contar sem salvar',
    matches: (count) => `Atendem agora: ${count}`,
    save: 'Salvar o segmento',
    created: (count) => `O segmento foi salvo. Atendem agora: ${count}.`,
    saved: 'O segmento foi mudado.',
    edit: 'Mudar',
    count: 'Contatos',
    counted: 'Contado',
    usedBy: 'Usado por',
    unused: 'nada',
    uses: { campaigns: 'campanhas', reminders: 'lembretes', automations: 'automações' },
    usedLead: 'Tudo o que usa este segmento segue as regras novas assim que forem salvas.',
    inPart:
      'Aqui contam só os negócios, as conversas, as execuções e as campanhas que você vê; o que usa o segmento alcança todos os que atendem às regras.',
    contacts: 'Quem atende agora',
    contactColumns: ['Nome', 'Telefone', 'E-mail'],
    nobody: 'Ninguém atende.',
    optedOut: 'não quer mais',
    tooHeavy: 'Estas regras demoram demais para contar. Use menos condições.',
    remove: 'Apagar o segmento',
    removeLead: 'Nenhum contato é apagado. Nada mais pode usar o segmento.',
    removed: 'O segmento foi apagado.',
  },
};
