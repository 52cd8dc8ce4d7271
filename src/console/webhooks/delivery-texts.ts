import type { Dictionary } from '../../pages/language.ts';
import type { DeliveryStatus } from '../../webhooks/rules.ts';

interface DeliveryTexts {
  readonly recent: string;
  readonly none: string;
  readonly noneOfEvent: string;
  readonly all: string;
  readonly everything: string;
  readonly find: string;
  readonly findLabel: string;
  readonly statuses: Readonly<Record<DeliveryStatus, string>>;
  readonly columns: readonly [string, string, string, string, string, string, string];
  readonly success: string;
  readonly p95: string;
  readonly ofShown: string;
  readonly one: string;
  readonly attempts: string;
  readonly happened: string;
  readonly body: string;
  readonly noAttempt: string;
  readonly attemptColumns: readonly [string, string, string, string, string];
  readonly schedule: string;
  readonly scheduleNote: string;
  readonly errors: Readonly<Record<string, string>>;
}

export const DELIVERIES: Dictionary<DeliveryTexts> = {
  en: {
    recent: 'The last 50 deliveries',
    none: 'Nothing yet.',
    noneOfEvent: 'Nothing of this event was sent here in the last 30 days.',
    all: 'all',
    everything: 'All deliveries',
    find: 'Find',
    findLabel: 'Find a delivery by the webhook-id of its request',
    statuses: {
      pending: 'pending',
      retrying: 'retrying',
      succeeded: 'succeeded',
      failed: 'failed',
      blocked: 'blocked',
      held: 'held',
    },
    columns: ['Event', 'Status', 'Code', 'Duration', 'Attempts', 'Next attempt', 'Created'],
    success: 'Success rate',
    p95: '95 % are faster than',
    ofShown: 'of those shown',
    one: 'Delivery',
    attempts: 'Attempts',
    happened: 'Created',
    body: 'Body, exactly as it is sent',
    noAttempt: 'No attempt yet.',
    attemptColumns: ['Attempt', 'Began', 'Code', 'Duration', 'What happened'],
    schedule: 'Attempts to come',
    scheduleNote: 'If each of them fails; each may come up to a tenth of its wait later.',
    errors: {
      timeout: 'no answer within 10 seconds',
      connection: 'the connection failed',
      tls: 'no secure connection: the certificate, the TLS version, or no TLS at this port',
      dns: 'the name was not found',
      private_address: 'the name leads to a private address',
      redirect: 'a redirect, which is not followed',
      status: 'an answer other than 2xx',
      internal: 'a fault on our side',
      expired: '24 hours passed, or the endpoint was deleted',
      cancelled_by_operator: 'ended by our operators',
    },
  },
  'pt-BR': {
    recent: 'As últimas 50 entregas',
    none: 'Nada ainda.',
    noneOfEvent: 'Nada deste evento foi enviado aqui nos últimos 30 dias.',
    all: 'todas',
    everything: 'Todas as entregas',
    find: 'Buscar',
    findLabel: 'Buscar uma entrega pelo webhook-id da requisição',
    statuses: {
      pending: 'pendente',
      retrying: 'em nova tentativa',
      succeeded: 'entregue',
      failed: 'falhou',
      blocked: 'bloqueada',
      held: 'retida',
    },
    columns: ['Evento', 'Situação', 'Código', 'Duração', 'Tentativas', 'Próxima', 'Criada em'],
    success: 'Taxa de sucesso',
    p95: '95 % levam menos de',
    ofShown: 'das mostradas',
    one: 'Entrega',
    attempts: 'Tentativas',
    happened: 'Criada em',
    body: 'Corpo, exatamente como é enviado',
    noAttempt: 'Nenhuma tentativa ainda.',
    attemptColumns: ['Tentativa', 'Começou', 'Código', 'Duração', 'O que houve'],
    schedule: 'Próximas tentativas',
    scheduleNote: 'Se todas falharem; cada uma pode vir até um décimo da espera mais tarde.',
    errors: {
      timeout: 'sem resposta em 10 segundos',
      connection: 'a conexão falhou',
      tls: 'sem conexão segura: o certificado, a versão do TLS, ou uma porta sem TLS',
      dns: 'o nome não foi encontrado',
      private_address: 'o nome leva a um endereço privado',
      redirect: 'um redirecionamento, que não é seguido',
      status: 'uma resposta diferente de 2xx',
      internal: 'uma falha nossa',
      expired: 'passaram 24 horas, ou o endpoint foi apagado',
      cancelled_by_operator: 'encerrada por nossos operadores',
    },
  },
};
