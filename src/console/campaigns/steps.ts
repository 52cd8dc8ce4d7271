import type { Dictionary } from '../../pages/language.ts';

/** The steps of a campaign that have a button. */
export const STEPS = ['send', 'unschedule', 'pause', 'resume', 'cancel', 'delete'] as const;
export type Step = (typeof STEPS)[number];

interface StepText {
  readonly button: string;
  /** What happens, and what does not. */
  readonly lead: string;
  readonly done: string;
}

export const STEP_TEXTS: Dictionary<Readonly<Record<Step, StepText>>> = {
  en: {
    send: {
      button: 'Send now',
      lead: 'Sent messages cannot be taken back.',
      done: 'It is being sent.',
    },
    unschedule: { button: 'Make it a draft again', lead: '', done: 'It is a draft again.' },
    pause: {
      button: 'Pause',
      lead: 'No new message begins. Nobody gets it twice when it goes on.',
      done: 'It is paused.',
    },
    resume: {
      button: 'Resume',
      lead: 'It goes on with those who are left. Nobody gets it twice.',
      done: 'It goes on.',
    },
    cancel: {
      button: 'Cancel it',
      lead: 'It ends here for good. What was sent stays sent.',
      done: 'It is cancelled.',
    },
    delete: { button: 'Delete the draft', lead: 'It is gone for good.', done: 'It is deleted.' },
  },
  'pt-BR': {
    send: {
      button: 'Enviar agora',
      lead: 'O que foi enviado não volta.',
      done: 'O envio começou.',
    },
    unschedule: { button: 'Voltar a rascunho', lead: '', done: 'É um rascunho outra vez.' },
    pause: {
      button: 'Pausar',
      lead: 'Nenhuma mensagem nova começa. Ninguém recebe duas vezes quando continuar.',
      done: 'Está pausada.',
    },
    resume: {
      button: 'Continuar',
      lead: 'Continua com quem falta. Ninguém recebe duas vezes.',
      done: 'Continua.',
    },
    cancel: {
      button: 'Cancelar a campanha',
      lead: 'Termina aqui de vez. O que foi enviado fica enviado.',
      done: 'Está cancelada.',
    },
    delete: { button: 'Apagar o rascunho', lead: 'Não há como desfazer.', done: 'Foi apagado.' },
  },
};
