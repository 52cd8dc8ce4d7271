import type { Role } from '../../access/roles.ts';
import type { Dictionary, Language } from '../../pages/language.ts';
import type { GROUPS } from '../page.ts';

interface Texts {
  readonly skip: string;
  readonly navigation: string;
  readonly menu: string;
  readonly groups: Readonly<Record<(typeof GROUPS)[number], string>>;
  readonly switchWorkspace: string;
  readonly account: string;
  readonly signOut: string;
  readonly problems: string;
  readonly stale: string;
  readonly away: string;
  readonly unsent: string;
  readonly discard: string;
  readonly signIn: string;
  readonly fileTooLarge: string;
  readonly filesBusy: string;
  readonly merged: string;
  readonly written: string;
  readonly writtenLead: string;
  readonly choose: string;
  readonly chooseLead: string;
  readonly noWorkspace: string;
  readonly noWorkspaceLead: string;
  readonly toConsole: string;
  readonly reference: string;
  readonly errors: Readonly<Record<'not_found' | 'forbidden' | 'busy' | 'wrong', ErrorText>>;
  readonly next: string;
  readonly first: string;
  readonly roles: Readonly<Record<Role, string>>;
}

interface ErrorText {
  readonly title: string;
  readonly text: string;
}

const TEXTS: Dictionary<Texts> = {
  en: {
    skip: 'Skip to the content',
    navigation: 'Console',
    menu: 'Menu',
    groups: { work: 'Work', developers: 'Developers', workspace: 'Workspace' },
    switchWorkspace: 'Change workspace',
    account: 'My account',
    signOut: 'Sign out',
    problems: 'This could not be done',
    stale:
      'You have signed in again since this page was opened. Nothing was done: check what stands here, and send it again.',
    away: 'You are signed out. Sign in in another tab, and what you are writing here stays.',
    signIn: 'Sign in',
    unsent: 'What you wrote here and did not send is here again.',
    discard: 'Take it out',
    fileTooLarge: 'The file is too large.',
    filesBusy:
      'Too many files are on their way just now. Wait a little, choose it again and send it again.',
    merged:
      'The contact was merged into the one that is shown here, and nothing was done. Check what stands here, and send it again.',
    written: 'What you wrote',
    writtenLead: 'It is not kept: copy it before you leave this page.',
    choose: 'Choose a workspace',
    chooseLead: 'You belong to several. You can change at any time.',
    noWorkspace: 'No workspace yet',
    noWorkspaceLead: 'You do not belong to an active workspace. Ask its Owner to invite you.',
    toConsole: 'To the console',
    reference: 'Reference',
    errors: {
      not_found: {
        title: 'Page not found',
        text: 'It does not exist, or your workspace does not have it any more.',
      },
      forbidden: {
        title: 'You may not do this',
        text: 'Your role in this workspace does not include it, or the page was open for too long. Go back, reload it and try again; otherwise ask an Owner or Admin.',
      },
      busy: {
        title: 'Try again in a moment',
        text: 'There are many requests just now. Wait a little and open the page again.',
      },
      wrong: {
        title: 'That did not work',
        text: 'This request could not be carried out. Open the page again and try once more.',
      },
    },
    next: 'Next page',
    first: 'First page',
    roles: { owner: 'Owner', admin: 'Admin', agent: 'Agent', viewer: 'Viewer' },
  },
  'pt-BR': {
    skip: 'Ir para o conteúdo',
    navigation: 'Console',
    menu: 'Menu',
    groups: { work: 'Trabalho', developers: 'Desenvolvedores', workspace: 'Espaço de trabalho' },
    switchWorkspace: 'Mudar de espaço de trabalho',
    account: 'Minha conta',
    signOut: 'Sair',
    problems: 'Não foi possível',
    stale:
      'Você entrou outra vez depois de abrir esta página. Nada foi feito: confira o que está aqui e envie outra vez.',
    away: 'Sua sessão acabou. Entre em outra aba, e o que você está escrevendo aqui fica.',
    signIn: 'Entrar',
    unsent: 'O que você escreveu aqui e não enviou está aqui outra vez.',
    discard: 'Apagar',
    fileTooLarge: 'O arquivo é grande demais.',
    filesBusy:
      'Há arquivos demais a caminho agora. Espere um pouco, escolha-o outra vez e envie de novo.',
    merged:
      'O contato foi juntado com o que está aqui, e nada foi feito. Confira o que está aqui e envie outra vez.',
    written: 'O que você escreveu',
    writtenLead: 'Isto não fica guardado: copie antes de sair desta página.',
    choose: 'Escolha um espaço de trabalho',
    chooseLead: 'Você participa de vários. Pode mudar a qualquer momento.',
    noWorkspace: 'Nenhum espaço de trabalho',
    noWorkspaceLead:
      'Você não participa de um espaço de trabalho ativo. Peça um convite ao proprietário.',
    toConsole: 'Para o console',
    reference: 'Referência',
    errors: {
      not_found: {
        title: 'Página não encontrada',
        text: 'Ela não existe, ou o espaço de trabalho não a tem mais.',
      },
      forbidden: {
        title: 'Você não pode fazer isto',
        text: 'Seu papel neste espaço de trabalho não inclui esta ação, ou a página ficou aberta por muito tempo. Volte, recarregue e tente outra vez; se não der, fale com um proprietário ou administrador.',
      },
      busy: {
        title: 'Tente outra vez em um instante',
        text: 'Há muitos pedidos agora. Espere um pouco e abra a página outra vez.',
      },
      wrong: {
        title: 'Não foi possível',
        text: 'Este pedido não pôde ser feito. Abra a página outra vez e tente de novo.',
      },
    },
    next: 'Próxima página',
    first: 'Primeira página',
    roles: { owner: 'Proprietário', admin: 'Administrador', agent: 'Agente', viewer: 'Leitor' },
  },
};

/** Texts of the frame around every page; each feature's texts are beside its pages. */
export const textsOf = (lang: Language): Texts => TEXTS[lang];

/** A plan's name as it is written in a sentence, in every language. */
export const planName = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
