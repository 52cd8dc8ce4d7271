import type { LossReason } from '../../gateway/port.ts';
import type { Dictionary, Language } from '../../pages/language.ts';

/** Why a message was lost, and what to do about it. */
const LOSSES: Dictionary<Readonly<Record<LossReason, string>>> = {
  en: {
    no_whatsapp: 'This phone is not on WhatsApp. Check it, or reach the person another way.',
    no_recipient: 'WhatsApp could not reach the person. Try again later.',
    throttled: 'WhatsApp asked us to slow down for too long. Send it again later.',
    out_of_window:
      'More than 24 hours passed since the last message of the person. Send an approved template.',
    media_invalid: 'WhatsApp refused the file. Send another kind or a smaller one.',
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
    no_recipient: 'O WhatsApp não alcançou a pessoa. Tente mais tarde.',
    throttled: 'O WhatsApp pediu para ir mais devagar por tempo demais. Envie mais tarde.',
    out_of_window:
      'Passaram mais de 24 horas desde a última mensagem da pessoa. Envie um modelo aprovado.',
    media_invalid: 'O WhatsApp recusou o arquivo. Envie outro tipo, ou um menor.',
    template_invalid: 'O WhatsApp não aceita este modelo. Confira no Gerenciador do WhatsApp.',
    number_unavailable: 'O número não estava conectado. Conecte-o e envie outra vez.',
    provider_error: 'O WhatsApp teve um erro. Envie outra vez.',
    policy: 'As regras do WhatsApp proíbem esta mensagem. Mude-a antes de enviar outra vez.',
    missing_variable: 'Uma variável do texto não tem valor para este contato. Preencha.',
    unconfirmed: 'O WhatsApp nunca disse se chegou. Pergunte à pessoa antes de enviar outra vez.',
  },
};

/** A reason without a text here is shown in the service's own words. */
export const lossText = (lang: Language, reason: string, message: string): string =>
  (LOSSES[lang] as Readonly<Record<string, string>>)[reason] ?? message;
