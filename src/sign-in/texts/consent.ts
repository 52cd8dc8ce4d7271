import type { Scope } from '../../access/scopes.ts';
import type { OIDC_SCOPES } from '../../oauth/addresses.ts';
import type { Dictionary } from '../../pages/language.ts';

/** Scopes that give access to no part of the API. */
type OwnScope = (typeof OIDC_SCOPES)[number];

interface ConsentTexts {
  readonly title: (app: string) => string;
  readonly madeBy: (workspace: string) => string;
  readonly selfMade: string;
  readonly website: (host: string) => string;
  readonly notVerified: string;
  readonly verified: string;
  readonly signedInAs: (email: string) => string;
  readonly somebodyElse: string;
  readonly workspace: string;
  readonly workspaceHint: string;
  readonly noWorkspace: string;
  readonly may: string;
  readonly says: Readonly<Record<OwnScope, string>>;
  /** Of scopes that allow agent tools less than the API. */
  readonly saysOfTools: Readonly<Partial<Record<Scope, string>>>;
  readonly highRisk: string;
  readonly neverMore: string;
  readonly cannot: string;
  readonly cannotList: readonly string[];
  readonly returns: (host: string) => string;
  readonly loopback: string;
  readonly allow: string;
  readonly decline: string;
  readonly notConnected: string;
  readonly chooseWorkspace: string;
  readonly quota: string;
  readonly refused: string;
  readonly changed: string;
  readonly answered: string;
  readonly goesBack: (host: string) => string;
  readonly goOn: string;
  readonly over: { readonly title: string; readonly text: string };
}

export const CONSENT: Dictionary<ConsentTexts> = {
  en: {
    title: (app) => `Connect ${app}?`,
    madeBy: (workspace) => `This app was made by the workspace ${workspace}.`,
    selfMade: 'This app registered itself. Its maker chose its name.',
    website: (host) => `It says that its website is ${host}.`,
    notVerified: 'Not verified: no one here has checked who makes this app or what it does.',
    verified: 'Verified: we know who makes this app.',
    signedInAs: (email) => `You are signed in as ${email}.`,
    somebodyElse: 'Someone else?',
    workspace: 'For which workspace?',
    workspaceHint: 'The app reaches this one alone.',
    noWorkspace:
      'You are in no workspace in which you may connect apps. It takes a seat, and Viewers have none.',
    may: 'The app will be able to',
    says: {
      openid: 'Recognise you when you come again.',
      profile: 'See your name.',
      email: 'See your e-mail address.',
      offline_access: 'Stay connected while you are away, until you disconnect it.',
    },
    saysOfTools: {
      'automations:write': 'Draft automations, which only people turn on.',
      'forms:write': 'Draft forms, which only people publish.',
    },
    highRisk: 'High risk',
    neverMore:
      'It can never do more than you can yourself. You can disconnect it at any time on your account page.',
    cannot: 'The app cannot',
    cannotList: [
      'manage members, billing or credentials',
      'connect or disconnect WhatsApp numbers',
    ],
    returns: (host) => `Your browser then goes back to ${host}.`,
    loopback:
      'That is a program on this computer. Go on only if you have just started it yourself.',
    allow: 'Connect',
    decline: 'Decline',
    notConnected: 'The app is not connected.',
    chooseWorkspace: 'Choose a workspace.',
    quota: 'This app is not verified and is connected to as many workspaces as it may be.',
    refused: 'You may not connect apps in this workspace.',
    changed: 'The app was changed while you looked at this page. Read again what it asks for.',
    answered: 'Your answer is noted',
    goesBack: (host) => `Your browser goes back to ${host}.`,
    goOn: 'If nothing happens, go on here.',
    over: {
      title: 'This request is over',
      text: 'It was answered already, is too old, or began in another browser. Go back to the app.',
    },
  },
  'pt-BR': {
    title: (app) => `Conectar ${app}?`,
    madeBy: (workspace) => `Este aplicativo foi criado pelo espaço ${workspace}.`,
    selfMade: 'Este aplicativo se registrou sozinho. Quem o fez escolheu o nome.',
    website: (host) => `Ele diz que o site dele é ${host}.`,
    notVerified:
      'Não verificado: ninguém aqui conferiu quem faz este aplicativo nem o que ele faz.',
    verified: 'Verificado: sabemos quem faz este aplicativo.',
    signedInAs: (email) => `Você entrou como ${email}.`,
    somebodyElse: 'É outra pessoa?',
    workspace: 'Para qual espaço de trabalho?',
    workspaceHint: 'O aplicativo alcança só este.',
    noWorkspace:
      'Você não está em nenhum espaço em que possa conectar aplicativos. É preciso ocupar um lugar do plano, e Visualizadores não ocupam.',
    may: 'O aplicativo vai poder',
    says: {
      openid: 'Reconhecer você quando voltar.',
      profile: 'Ver seu nome.',
      email: 'Ver seu e-mail.',
      offline_access: 'Continuar conectado enquanto você não está, até você desconectar.',
    },
    saysOfTools: {
      'automations:write': 'Criar rascunhos de automações, que só pessoas ligam.',
      'forms:write': 'Criar rascunhos de formulários, que só pessoas publicam.',
    },
    highRisk: 'Alto risco',
    neverMore:
      'Ele nunca pode mais do que você mesmo. Você pode desconectá-lo a qualquer momento na página da sua conta.',
    cannot: 'O aplicativo não pode',
    cannotList: [
      'gerenciar membros, cobrança ou credenciais',
      'conectar ou desconectar números do WhatsApp',
    ],
    returns: (host) => `Depois, seu navegador volta para ${host}.`,
    loopback: 'É um programa neste computador. Continue só se você mesmo acabou de iniciá-lo.',
    allow: 'Conectar',
    decline: 'Recusar',
    notConnected: 'O aplicativo não foi conectado.',
    chooseWorkspace: 'Escolha um espaço de trabalho.',
    quota: 'Este aplicativo não é verificado e já está conectado a tantos espaços quantos pode.',
    refused: 'Você não pode conectar aplicativos neste espaço.',
    changed: 'O aplicativo mudou enquanto você olhava esta página. Leia de novo o que ele pede.',
    answered: 'Sua resposta foi anotada',
    goesBack: (host) => `Seu navegador volta para ${host}.`,
    goOn: 'Se nada acontecer, continue aqui.',
    over: {
      title: 'Este pedido já terminou',
      text: 'Ele já foi respondido, é antigo demais ou começou em outro navegador. Volte ao aplicativo.',
    },
  },
};

/** Whether the scope gives access to no part of the API; the page describes it in its own words. */
export const isOwnScope = (scope: string): scope is OwnScope =>
  Object.hasOwn(CONSENT.en.says, scope);
