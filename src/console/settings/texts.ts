import type { Dictionary } from '../../pages/language.ts';

interface Labelled {
  readonly label: string;
  readonly hint?: string;
}

interface Texts {
  readonly nav: string;
  readonly lead: string;
  readonly name: string;
  readonly nameHint: string;
  readonly timeZone: string;
  readonly timeZoneHint: string;
  readonly language: string;
  readonly languageHint: string;
  readonly idle: string;
  readonly idleHint: string;
  readonly save: string;
  readonly saved: string;
  readonly campaigns: string;
  readonly campaignsLead: string;
  readonly guards: Readonly<
    Record<'quiet_from' | 'quiet_to' | 'cap_messages' | 'cap_days', Labelled>
  >;
  readonly saveGuards: string;
  readonly guarded: string;
  readonly phrases: string;
  readonly phrasesLead: string;
  readonly seePhrases: string;
}

export const SETTINGS: Dictionary<Texts> = {
  en: {
    nav: 'Settings',
    lead: 'They hold for everybody in the workspace.',
    name: 'Name',
    nameHint: 'Stands on your public forms and in invitations.',
    timeZone: 'Time zone',
    timeZoneHint:
      'The days of reports begin in it, and the times of opening hours, campaigns and new reminders are read in it; reminders that are there keep theirs. Write it as America/Manaus.',
    language: 'Language and country',
    languageHint:
      'Numbers, dates and phones that people write are read as this country writes them. Public forms are in Portuguese for pt, in English for all others. Write it as pt-BR. Without a country, as in en, phones need their code.',
    idle: 'Close conversations after',
    idleHint:
      'Hours without a message, 1 to 720; also while the person waits for an answer. Empty: never.',
    save: 'Save',
    saved: 'The settings are saved.',
    campaigns: 'Limits of campaigns',
    campaignsLead: 'All campaigns keep to them, from the moment they are saved.',
    guards: {
      quiet_from: {
        label: 'Quiet hours from',
        hint: 'In the time zone above. A campaign sends nothing then, and goes on by itself. Leave both empty for none.',
      },
      quiet_to: { label: 'Quiet hours until' },
      cap_messages: {
        label: 'Campaigns that one person gets, at most',
        hint: '1 to 1,000. Whoever had that many is left out. Leave both empty for no limit.',
      },
      cap_days: { label: 'In how many days', hint: '1 to 365.' },
    },
    saveGuards: 'Save the limits',
    guarded: 'The limits of campaigns are saved.',
    phrases: 'Opt-out phrases',
    phrasesLead: 'Whoever writes STOP, or another of them, gets no more messages.',
    seePhrases: 'See the phrases',
  },
  'pt-BR': {
    nav: 'Configurações',
    lead: 'Valem para todos no espaço de trabalho.',
    name: 'Nome',
    nameHint: 'Aparece nos seus formulários públicos e nos convites.',
    timeZone: 'Fuso horário',
    timeZoneHint:
      'Nele começam os dias dos relatórios e se leem os horários de atendimento, de campanhas e de lembretes novos; os lembretes que já existem mantêm o seu. Escreva como America/Manaus.',
    language: 'Idioma e país',
    languageHint:
      'Números, datas e telefones que as pessoas escrevem são lidos como se escrevem neste país. Os formulários públicos ficam em português para pt, e em inglês para os demais. Escreva como pt-BR. Sem país, como em en, os telefones precisam do código.',
    idle: 'Encerrar conversas depois de',
    idleHint:
      'Horas sem mensagem, de 1 a 720; também quando a pessoa espera resposta. Vazio: nunca.',
    save: 'Salvar',
    saved: 'As configurações foram salvas.',
    campaigns: 'Limites das campanhas',
    campaignsLead: 'Todas as campanhas os seguem, a partir do momento em que são salvos.',
    guards: {
      quiet_from: {
        label: 'Horas de silêncio a partir de',
        hint: 'No fuso horário acima. Nelas uma campanha não envia nada, e depois continua sozinha. Deixe os dois vazios para não ter.',
      },
      quiet_to: { label: 'Horas de silêncio até' },
      cap_messages: {
        label: 'Campanhas que uma pessoa recebe, no máximo',
        hint: 'De 1 a 1.000. Quem já recebeu tantas fica de fora. Deixe os dois vazios para não ter limite.',
      },
      cap_days: { label: 'Em quantos dias', hint: 'De 1 a 365.' },
    },
    saveGuards: 'Salvar os limites',
    guarded: 'Os limites das campanhas foram salvos.',
    phrases: 'Frases de saída',
    phrasesLead: 'Quem escreve SAIR, ou outra delas, não recebe mais mensagens.',
    seePhrases: 'Ver as frases',
  },
};
