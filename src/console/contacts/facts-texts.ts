import type { OptOutSource } from '../../contacts/opt-outs/list.ts';
import type { Origin } from '../../contacts/rules.ts';
import type { Dictionary } from '../../pages/language.ts';

interface Texts {
  readonly whatsapp: string;
  readonly onWhatsapp: Readonly<Record<'valid' | 'invalid', string>>;
  readonly optedOut: string;
  readonly ways: Readonly<Record<OptOutSource, string>>;
  readonly consent: string;
  readonly inForm: string;
  readonly since: string;
  readonly origin: string;
  readonly origins: Readonly<Record<Origin, string>>;
  readonly lastInbound: string;
  readonly lastOutbound: string;
}

/** What is known of a contact, beside what the form has. */
export const FACTS: Dictionary<Texts> = {
  en: {
    whatsapp: 'On WhatsApp',
    onWhatsapp: { valid: 'yes', invalid: 'no' },
    optedOut: 'Wants no messages since',
    ways: {
      message: 'they wrote it',
      button: 'they pressed the button of a message',
      whatsapp: 'they switched it off in WhatsApp',
      member: 'somebody of the team noted it',
      import: 'an imported file said so',
      api: 'another system or an app noted it',
    },
    consent: 'Agreed to',
    inForm: 'in the form',
    since: 'Here since',
    origin: 'Came by',
    origins: {
      direct: 'a message of their own',
      form: 'a form',
      import: 'an import or the API',
      campaign: 'a campaign',
      team: 'the team',
    },
    lastInbound: 'Last wrote',
    lastOutbound: 'Last written to',
  },
  'pt-BR': {
    whatsapp: 'No WhatsApp',
    onWhatsapp: { valid: 'sim', invalid: 'não' },
    optedOut: 'Não quer mensagens desde',
    ways: {
      message: 'escreveu que não quer',
      button: 'apertou o botão de uma mensagem',
      whatsapp: 'desligou no WhatsApp',
      member: 'alguém da equipe anotou',
      import: 'um arquivo importado dizia',
      api: 'outro sistema ou um aplicativo anotou',
    },
    consent: 'Concordou com',
    inForm: 'no formulário',
    since: 'Aqui desde',
    origin: 'Chegou por',
    origins: {
      direct: 'mensagem própria',
      form: 'um formulário',
      import: 'uma importação ou a API',
      campaign: 'uma campanha',
      team: 'a equipe',
    },
    lastInbound: 'Escreveu por último',
    lastOutbound: 'Recebeu por último',
  },
};
