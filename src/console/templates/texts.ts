import type { Dictionary } from '../../pages/language.ts';

interface Texts {
  readonly title: string;
  readonly lead: string;
  readonly none: string;
  readonly unable: string;
  readonly columns: readonly [string, string, string];
  readonly number: string;
  readonly text: string;
  readonly parameter: (place: string) => string;
  readonly send: string;
  readonly other: string;
}

export const TEMPLATES: Dictionary<Texts> = {
  en: {
    title: 'Send a template',
    lead: 'WhatsApp takes these at any time, also outside the 24 hours after the last message of the person.',
    none: 'The number has no approved template. They are made in WhatsApp Manager, and known here some ten minutes after they were approved.',
    unable: 'No number is connected that sends templates.',
    columns: ['Template', 'Language', 'Text'],
    number: 'Number',
    text: 'Text',
    parameter: (place) => `What stands for ${place}`,
    send: 'Send',
    other: 'Choose another template',
  },
  'pt-BR': {
    title: 'Enviar um modelo',
    lead: 'O WhatsApp aceita estes a qualquer hora, também fora das 24 horas depois da última mensagem da pessoa.',
    none: 'O número não tem modelo aprovado. Eles são feitos no Gerenciador do WhatsApp, e conhecidos aqui uns dez minutos depois de aprovados.',
    unable: 'Nenhum número que envia modelos está conectado.',
    columns: ['Modelo', 'Idioma', 'Texto'],
    number: 'Número',
    text: 'Texto',
    parameter: (place) => `No lugar de ${place}`,
    send: 'Enviar',
    other: 'Escolher outro modelo',
  },
};
