/** Example records for the API reference. */
export const examplePipeline = {
  id: 'pip_01JZ8Y6K3M4N5P6Q7R8S9T0V1W',
  name: 'Vendas',
  created_at: '2026-11-20T12:00:00.000Z',
  stages: [
    { id: 'stg_01JZ8Y6K3M4N5P6Q7R8S9T0V1X', name: 'Novo', kind: 'open', position: 0 },
    { id: 'stg_01JZ8Y6K3M4N5P6Q7R8S9T0V1Y', name: 'Ganho', kind: 'won', position: 1 },
    { id: 'stg_01JZ8Y6K3M4N5P6Q7R8S9T0V1Z', name: 'Perdido', kind: 'lost', position: 2 },
  ],
};

export const exampleNewDeal = {
  stage_id: 'stg_01JZ8Y6K3M4N5P6Q7R8S9T0V1X',
  contact_id: 'con_01JD8B6V0R5Q9T3XK2M7N4P1WZ',
  conversation_id: 'cnv_01JD8B6V0R5Q9T3XK2M7N4P1X0',
  title: 'Bolo de casamento',
  value_cents: 45_000,
  currency: 'BRL',
  owner_id: 'mem_01JD8B6V0R5Q9T3XK2M7N4P1X1',
};

export const exampleDeal = {
  id: 'dea_01JZ8Y6K3M4N5P6Q7R8S9T0V20',
  pipeline_id: examplePipeline.id,
  stage_id: exampleNewDeal.stage_id,
  contact_id: exampleNewDeal.contact_id,
  conversation_id: exampleNewDeal.conversation_id,
  title: exampleNewDeal.title,
  value_cents: exampleNewDeal.value_cents,
  currency: 'BRL',
  owner_id: exampleNewDeal.owner_id,
  status: 'open',
  lost_reason: null,
  stage_entered_at: '2026-11-20T14:03:11.000Z',
  closed_at: null,
  created_at: '2026-11-20T14:03:11.000Z',
};
