import { GROUP_UNKNOWN_CODE, OPTED_OUT_CODE } from '../../gateway/cloud-api/classify.ts';
import type { LossReason } from '../../gateway/port.ts';
import type { Dictionary, Language } from '../../pages/language.ts';

/** Why a message was lost, and what to do about it. */
const LOSSES: Dictionary<Readonly<Record<LossReason, string>>> = {
  en: {
    no_whatsapp: 'This phone is not on WhatsApp. Check it, or reach the person another way.',
    no_recipient: 'WhatsApp could not reach the person.',
    throttled: 'WhatsApp asked us to slow down for too long. Send it again later.',
    out_of_window:
      'More than 24 hours passed since the last message of the person. Send an approved template.',
    media_invalid:
      'WhatsApp refused the file. Send it again; if that fails too, send another kind or a smaller one.',
    template_invalid: 'WhatsApp does not accept this template. Check it in WhatsApp Manager.',
    number_unavailable: 'The number was not connected. Connect it and send the message again.',
    provider_error: 'WhatsApp had an error. Send it again.',
    policy: 'WhatsApp’s rules forbid this message. Change it before you send it again.',
    missing_variable: 'A variable of the text had no value for this contact. Fill it in.',
    unconfirmed: 'WhatsApp never said whether it arrived. Ask the person before you send it again.',
  },
  'pt-BR': {
    no_whatsapp:
      'Este telefone não está no WhatsApp. Confira, ou fale com a pessoa de outro jeito.',
    no_recipient: 'O WhatsApp não alcançou a pessoa.',
    throttled: 'O WhatsApp pediu para ir mais devagar por tempo demais. Envie mais tarde.',
    out_of_window:
      'Passaram mais de 24 horas desde a última mensagem da pessoa. Envie um modelo aprovado.',
    media_invalid:
      'O WhatsApp recusou o arquivo. Envie outra vez; se falhar de novo, envie outro tipo, ou um menor.',
    template_invalid: 'O WhatsApp não aceita este modelo. Confira no Gerenciador do WhatsApp.',
    number_unavailable: 'O número não estava conectado. Conecte-o e envie outra vez.',
    provider_error: 'O WhatsApp teve um erro. Envie outra vez.',
    policy: 'As regras do WhatsApp proíbem esta mensagem. Mude-a antes de enviar outra vez.',
    missing_variable: 'Uma variável do texto não tem valor para este contato. Preencha.',
    unconfirmed: 'O WhatsApp nunca disse se chegou. Pergunte à pessoa antes de enviar outra vez.',
  },
};

type Code = 'opted_out' | 'blocked' | 'no_phone' | 'left_group' | 'held';

/** What the reason does not say: why nobody was there to send to, or that WhatsApp has yet to send it. */
const BY_CODE: Dictionary<Readonly<Record<Code, string>>> = {
  en: {
    opted_out: 'Not sent: the person wants no more of these messages.',
    blocked: 'Not sent: the contact is blocked. Lift the block before you write again.',
    no_phone: 'Not sent: the contact is gone, or has no phone.',
    left_group: 'Not sent: the number is not in the group any more.',
    held: 'WhatsApp holds it back to see how people like the template, and sends or drops it later.',
  },
  'pt-BR': {
    opted_out: 'Não enviada: a pessoa não quer mais estas mensagens.',
    blocked: 'Não enviada: o contato está bloqueado. Desbloqueie antes de escrever outra vez.',
    no_phone: 'Não enviada: o contato não existe mais, ou não tem telefone.',
    left_group: 'Não enviada: o número não está mais no grupo.',
    held: 'O WhatsApp a segura para ver se o modelo agrada, e depois a envia ou descarta.',
  },
};

const BY_PROVIDER_CODE: Readonly<Record<number, Code>> = {
  [OPTED_OUT_CODE]: 'opted_out',
  [GROUP_UNKNOWN_CODE]: 'left_group',
};

interface Loss {
  readonly reason: string;
  readonly code?: string;
  readonly provider_code?: number | null;
  readonly message: string;
}

/** A loss without a text here is shown in the service's own words. */
export function lossText(lang: Language, { reason, message, ...codes }: Loss): string {
  const { code = reason, provider_code: providerCode } = codes;
  const texts: Readonly<Record<string, string>> = { ...LOSSES[lang], ...BY_CODE[lang] };
  return texts[BY_PROVIDER_CODE[providerCode ?? 0] ?? code] ?? texts[reason] ?? message;
}
