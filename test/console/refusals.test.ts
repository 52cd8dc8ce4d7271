import { describe, expect, it } from '@jest/globals';
import { problemText, refusalText } from '../../src/console/texts/refusals.ts';
import { ERROR_STATUS, type ErrorCode, type ErrorDetails } from '../../src/errors.ts';
import { FIELD_RULES } from '../../src/http/error-guide/field-rules.ts';
import type { Language } from '../../src/pages/language.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const said = (lang: Language, code: ErrorCode, message = '!', details: ErrorDetails = {}) =>
  refusalText(lang, { code, message, details }, NOW);

describe('a refusal on a page in Portuguese', () => {
  it('has words for every rule that a service can name', () => {
    const english = Object.keys(FIELD_RULES).filter(
      (rule) => problemText('pt-BR', { rule, message: '!', path: 'x' }) === '!',
    );
    expect(english).toEqual([]);
  });

  it('has words for every code that is answered beside a form', () => {
    const shown = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) =>
      [409, 422, 429, 503].includes(ERROR_STATUS[code]),
    );
    // Where a visibility is too narrow.
    shown.push('forbidden');
    expect(shown.filter((code) => said('pt-BR', code) === '!')).toEqual([]);
    expect(said('en', 'quota', 'The plan allows 3.')).toBe('The plan allows 3.');
  });

  it('says who may do what reaches further than the reader sees', () => {
    const unseen = (about: ErrorDetails) => said('pt-BR', 'forbidden', '!', about);

    expect(unseen({ automation_id: 'atm_1', visibility: 'teams' })).toContain('pode ativá-la');
    expect(unseen({ contact_id: 'con_1', visibility: 'teams' })).toContain('apagar o contato');
    expect(unseen({ visibility: 'teams' })).toContain('Só quem o criou');
  });

  it('says how much a full plan allows, how much is in use, and who can change it', () => {
    const quota = said('pt-BR', 'quota', '!', { limit: 3000, used: 2900, plan: 'essencial' });

    expect(quota).toContain('O plano Essencial permite 3.000, dos quais 2.900 já estão usados');
    expect(quota).toContain('Quem opera este serviço');
    expect(said('pt-BR', 'quota')).toBe('O limite do plano foi alcançado.');
    const uploads = { limit: 3_145_728, used: 3_000_000, plan: 'essencial', unit: 'bytes' };
    expect(said('pt-BR', 'quota', '!', uploads)).toContain('podem ser enviados 3 MB de arquivos');
  });

  it('says of what is not possible yet when it is, and never to load the page again', () => {
    const held = (possible_at: string) => said('pt-BR', 'conflict', '!', { possible_at });

    expect(held('2026-03-01T12:11:30Z')).toContain('Tente de novo em 12 minutos.');
    expect(held('2026-03-07T12:00:00Z')).toContain('Tente de novo em 6 dias.');
    const link = said('pt-BR', 'conflict', '!', { path: 'personal_link' });
    expect(link).toContain('marque o link pessoal');
  });

  it('says how a phone is written, also in a condition, whose path ends in its value', () => {
    for (const [rule, path] of [
      ['format', 'phone'],
      ['phone', 'rules.all[0].value[1]'],
    ] as const)
      expect(problemText('pt-BR', { rule, message: '!', path })).toContain('o código do país');
  });

  it('says by what something is still used, and how many they are', () => {
    const used = (used_by: Record<string, number>) => said('pt-BR', 'in_use', '!', { used_by });

    expect(used({ deals: 0, automations: 1, segments: 2 })).toContain(
      '(automações: 1, segmentos: 2)',
    );
    expect(used({ automations: 0 })).toBe(said('pt-BR', 'in_use'));
    expect(said('pt-BR', 'in_use', '!', { number_id: 'num_1' })).toContain(
      'É a equipe padrão de um número.',
    );
  });
});
