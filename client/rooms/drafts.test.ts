import { expect, test } from 'vitest'
import { people } from '../testing/room.ts'
import { draftsStore, keepDraft, loadDrafts, resetDrafts } from './drafts.ts'

const shown = () => [...draftsStore.getState().drafts.values()]

test('What was left half written stands in its row, also after a reload, and goes with the text', async () => {
  const { alice, roomId } = await people()
  await keepDraft(alice.env, roomId, 'Before the hearing')
  expect(shown()).toEqual(['Before the hearing'])
  resetDrafts()
  await loadDrafts(alice.env)
  expect(shown()).toEqual(['Before the hearing'])
  await keepDraft(alice.env, roomId, ' ')
  expect(shown()).toEqual([])
  await keepDraft(alice.env, roomId, '')
  await loadDrafts(alice.env)
  expect(shown()).toEqual([])
})
