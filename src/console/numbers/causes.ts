import { type NumberCause, reasonOf } from '../../numbers/states.ts';
import type { Dictionary, Language } from '../../pages/language.ts';

/** Those that leave a number other than connected, without a person's doing. */
type Cause = Exclude<
  NumberCause,
  | 'registered'
  | 'paired'
  | 'healthy'
  | 'reconnected'
  | 'released'
  | 'pair_again'
  | 'restriction_lifted'
  | 'retried'
>;

interface Texts {
  readonly causes: Readonly<Record<Cause, string>>;
  readonly whatsApp: (code: string) => string;
}

/** Why a number is as it is, and who has to do something about it. */
const CAUSES: Dictionary<Texts> = {
  en: {
    causes: {
      code_ready: 'Its code is ready. Whoever operates this service pairs it with its phone.',
      stalled:
        'It was not set up within ten minutes. Whoever operates this service has to see to it.',
      refused: 'WhatsApp refused to set it up. Whoever operates this service has to see to it.',
      codes_exhausted:
        'Its phone was not paired in time. Whoever operates this service has to pair it again.',
      quality_red:
        'WhatsApp rates its quality as low, because people block or report it. It still sends: send less, and only what people want.',
      throttled: 'WhatsApp asks it to send more slowly. That ends by itself.',
      heartbeat_late: 'Nothing has been heard of its phone for two minutes. See that it is online.',
      error_rate:
        'Of its latest messages one in ten or more failed because of the number. It still sends; this ends by itself once it is well for ten minutes.',
      socket_closed:
        'Its connection was closed. It comes back by itself; if it does not, see that its phone is online.',
      logged_out:
        'Its connection was ended on its phone or at WhatsApp. Whoever operates this service has to connect it again.',
      token_revoked:
        'WhatsApp no longer takes its access token. Whoever operates this service has to enter a new one.',
      held: 'Whoever operates this service holds all numbers for now, and will release them.',
      restricted:
        'WhatsApp has restricted its account. WhatsApp’s Business Manager says why and what to do. If it is for some days, it ends by itself.',
      cannot_continue: 'It cannot go on as it is. Whoever operates this service has to see to it.',
    },
    whatsApp: (code) =>
      `WhatsApp stopped it (code ${code}). Whoever operates this service has to see to it.`,
  },
  'pt-BR': {
    causes: {
      code_ready: 'O código está pronto. Quem opera este serviço o pareia com o telefone.',
      stalled: 'Não ficou pronto em dez minutos. Quem opera este serviço precisa cuidar disso.',
      refused: 'O WhatsApp não aceitou prepará-lo. Quem opera este serviço precisa cuidar disso.',
      codes_exhausted:
        'O telefone não foi pareado a tempo. Quem opera este serviço precisa pareá-lo de novo.',
      quality_red:
        'O WhatsApp avalia a qualidade como baixa, porque há quem o bloqueie ou denuncie. Ele ainda envia: envie menos, e só o que as pessoas querem.',
      throttled: 'O WhatsApp pede que envie mais devagar. Isso passa sozinho.',
      heartbeat_late: 'Há dois minutos não se ouve nada do telefone. Veja se ele está na internet.',
      error_rate:
        'Das últimas mensagens, uma em dez ou mais falhou por causa do número. Ele ainda envia; isso passa sozinho depois de dez minutos sem problemas.',
      socket_closed:
        'A conexão foi fechada. Ela volta sozinha; se não voltar, veja se o telefone está na internet.',
      logged_out:
        'A conexão foi encerrada no telefone ou no WhatsApp. Quem opera este serviço precisa conectá-lo de novo.',
      token_revoked:
        'O WhatsApp não aceita mais o token de acesso. Quem opera este serviço precisa informar um novo.',
      held: 'Quem opera este serviço segura todos os números por enquanto, e vai liberá-los.',
      restricted:
        'O WhatsApp restringiu a conta. O Gerenciador de Negócios do WhatsApp diz por que e o que fazer. Se for por alguns dias, passa sozinho.',
      cannot_continue:
        'Não pode continuar como está. Quem opera este serviço precisa cuidar disso.',
    },
    whatsApp: (code) =>
      `O WhatsApp o parou (código ${code}). Quem opera este serviço precisa cuidar disso.`,
  },
};

/** More specific codes of the same (`NumberEvent`), as WhatsApp's webhooks and its answers give them. */
const KINDS: Readonly<Record<string, Cause>> = {
  account_deleted: 'cannot_continue',
  account_offboarded: 'socket_closed',
  account_restriction: 'restricted',
  disabled_update: 'restricted',
  partner_app_uninstalled: 'token_revoked',
  partner_removed: 'token_revoked',
  whatsapp_190: 'token_revoked',
};

/** A number's `status_reason` in words; null for one that has none here. */
export function causeText(lang: Language, reason: string): string | null {
  const { causes, whatsApp } = CAUSES[lang];
  const cause =
    (Object.hasOwn(KINDS, reason) && KINDS[reason]) ||
    (Object.keys(causes) as Cause[]).find((one) => reasonOf(one) === reason);
  if (cause) return causes[cause];
  const [, code] = /^whatsapp_(\d+)$/.exec(reason) ?? [];
  return code === undefined ? null : whatsApp(code);
}
