import { expect, test, vi } from 'vitest'
import { people } from '../../testing/room.ts'
import { draftsStore, keepDraft, loadDrafts, resetDrafts } from './drafts.ts'
import { holdPage } from './unkeptDrafts.ts'

const shown = () => [...draftsStore.getState().drafts.values()]

test('A page that is closing waits while words are on their way to the disk, and not a moment where none are', async () => {
  const { alice, roomId } = await people()
  const held = () => {
    const now = vi.spyOn(performance, 'now')
    holdPage()
    const calls = now.mock.calls.length
    now.mockRestore()
    return calls > 0
  }
  expect(held()).toBe(false)
  const keeping = keepDraft(alice.env, roomId, 'Before the hearing')
  expect(held()).toBe(true)
  await keeping
  expect(held()).toBe(false)
  const full = { ...alice.env, crypto: { ...alice.core, keepDraftText: () => Promise.reject(new Error('full')) } }
  await expect(keepDraft(full, roomId, 'Before')).rejects.toThrow('full')
  expect(held()).toBe(false)
})

test('What is typed goes to the worker at once, also while it stores what was typed before', async () => {
  const { alice, roomId } = await people()
  const asked: string[] = []
  const keepDraftText: typeof alice.core.keepDraftText = (input) => {
    asked.push(input.text)
    return alice.core.keepDraftText(input)
  }
  const env = { ...alice.env, crypto: { ...alice.core, keepDraftText } }
  const keeping = ['Be', 'Before', 'Before the'].map((text) => keepDraft(env, roomId, text))
  expect(asked).toEqual(['Be', 'Before', 'Before the'])
  await Promise.all(keeping)
  expect(shown()).toEqual(['Before the'])
  expect(await alice.core.readDraft(roomId)).toBe('Before the')
})

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
