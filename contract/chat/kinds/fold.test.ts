import { expect, test } from 'vitest'
import type { Act, Content } from '../content.ts'
import { SAID } from '../saidlimits.ts'
import { ACT_LIMITS, type Acts, type ActTarget, foldEntries, type ToldAct, withAct } from './fold.ts'

const ALICE = '00000000-0000-4000-8000-00000000000a'
const BOB = '00000000-0000-4000-8000-00000000000b'
const target = { senderId: ALICE, id: '00000000-0000-4000-8000-000000000001' }
const SENT = '2026-11-27T08:00:00.000Z'
const later = (ms: number) => new Date(Date.parse(SENT) + ms).toISOString()

const said = (content: Content = { type: 'text', text: 'first' }): ActTarget => ({
  senderId: ALICE,
  sentAt: SENT,
  at: SENT,
  content,
})

const told = (act: Act, seq: number, more: Partial<ToldAct> = {}): ToldAct => ({
  ...{ senderId: ALICE, sentAt: later(1000), at: later(1000), seq, act },
  ...more,
})
const edit = (n: number, text: string, seq: number, more?: Partial<ToldAct>) => told({ type: 'edit', target, n, text }, seq, more)
const react = (emojis: string[], seq: number, senderId: string) => told({ type: 'reaction', target, emojis }, seq, { senderId })
const remove = (seq: number, more?: Partial<ToldAct>) => told({ type: 'delete', target, places: [1] }, seq, more)

function after(acts: ToldAct[], message = said()): Acts | 'deleted' {
  let now: Acts = {}
  for (const act of acts) {
    const next = withAct({ ...message, acts: now }, act)
    if (next === 'deleted') return next
    if (next) now = next
  }
  return now
}

function* orders<T>(all: T[]): Generator<T[]> {
  if (all.length < 2) yield all
  for (const [at, one] of all.entries()) for (const rest of orders(all.toSpliced(at, 1))) yield [one, ...rest]
}

test('Whatever the order, the highest n wins, then the later place; of one person the latest reaction', () => {
  const acts = [
    edit(1, 'second', 2),
    edit(2, 'third', 3),
    edit(2, 'third, of another browser', 4),
    react(['👍'], 5, BOB),
    react(['❤️', '👍'], 6, BOB),
    react(['🎉'], 7, ALICE),
  ]
  const whole = after(acts)
  expect(whole).toEqual({
    edit: { n: 2, seq: 4, text: 'third, of another browser' },
    edits: [2, 3, 4],
    reactions: { [BOB]: { seq: 6, emojis: ['❤️', '👍'] }, [ALICE]: { seq: 7, emojis: ['🎉'] } },
  })
  for (const order of orders(acts)) expect(after(order)).toEqual(whole)
})

test('A voice message is listened to by whoever did not speak it, and from the first time', () => {
  const sound = { as: 'audio', voice: { seconds: 3, peaks: 'AAEC' } }
  const voice = said({ type: 'file', ...sound } as Content)
  const listen = (seq: number, senderId: string, at = later(seq)) => told({ type: 'listened', target }, seq, { senderId, at })
  const all = [listen(3, BOB), listen(5, BOB), listen(4, ALICE)]
  for (const order of orders(all)) expect(after(order, voice)).toEqual({ listened: { [BOB]: { seq: 3, at: later(3) } } })
  expect(after(all)).toEqual({})
  expect(after(all, said({ type: 'file', as: 'file' } as Content))).toEqual({})
})

test('A reaction that is taken back does not return with an earlier one', () => {
  expect(after([react([], 6, BOB), react(['👍'], 5, BOB)])).toEqual({ reactions: { [BOB]: { seq: 6, emojis: [] } } })
})

test('Only the author edits and deletes, and anybody reacts', () => {
  expect(withAct(said(), edit(1, 'by Bob', 2, { senderId: BOB }))).toBeUndefined()
  expect(withAct(said(), remove(2, { senderId: BOB }))).toBeUndefined()
  expect(withAct(said(), react(['👍'], 2, BOB))).toBeDefined()
  expect(withAct(said(), remove(2))).toBe('deleted')
})

test.each([
  ['edit', ACT_LIMITS.editMs, (more: Partial<ToldAct>) => edit(1, 'late', 2, more)],
  ['delete', ACT_LIMITS.deleteMs, (more: Partial<ToldAct>) => remove(2, more)],
])('The time of a %s is held by the signed times and, with ten minutes more, by the server’s', (_, limitMs, act) => {
  const counts = (sentMs: number, atMs: number) => withAct(said(), act({ sentAt: later(sentMs), at: later(atMs) })) !== undefined
  expect(counts(limitMs, limitMs)).toBe(true)
  expect(counts(limitMs + 1, limitMs)).toBe(false)
  expect(counts(limitMs, limitMs + ACT_LIMITS.spareMs)).toBe(true)
  expect(counts(limitMs, limitMs + ACT_LIMITS.spareMs + 1)).toBe(false)
  // A clock that is behind takes no right away, and a server that dates it back gives none.
  expect(counts(-limitMs, 1000)).toBe(true)
  expect(counts(1000, -limitMs - ACT_LIMITS.spareMs - 1)).toBe(false)
})

test('A text keeps words, a caption its limit, and a call takes no act', () => {
  expect(withAct(said(), edit(1, '  ', 2))).toBeUndefined()
  const file = { type: 'file', caption: 'before' } as Content
  expect(withAct(said(file), edit(1, '', 2))).toBeDefined()
  expect(withAct(said(file), edit(1, 'x'.repeat(5000), 2))).toBeUndefined()
  for (const act of [edit(1, 'x', 2), react(['👍'], 3, BOB), remove(4)])
    expect(withAct(said({ type: 'call' } as Content), act)).toBeUndefined()
})

test('Words of others, forwarded, are edited by nobody: neither a text nor a caption, and all can react and its sender delete', () => {
  const forwarded = said({ type: 'text', text: 'first', isForwarded: true })
  expect(after([edit(1, 'as if they had said it', 2)], forwarded)).toEqual({})
  const file = { type: 'file', caption: 'before', isForwarded: true } as Content
  expect(withAct(said(file), edit(1, 'x', 2))).toBeUndefined()
  expect(after([react(['👍'], 2, BOB)], forwarded)).toMatchObject({ reactions: { [BOB]: { emojis: ['👍'] } } })
  expect(after([remove(3)], forwarded)).toBe('deleted')
})

test('The newest fifty texts of a message are kept', () => {
  const edits = Array.from({ length: SAID.textsMax + 2 }, (_, at) => edit(at + 1, `text ${at + 1}`, at + 2))
  const acts = after(edits)
  expect(acts).toMatchObject({ edit: { n: 52, text: 'text 52' } })
  expect(acts !== 'deleted' && acts.edits).toEqual(Array.from({ length: 50 }, (_, at) => at + 4))
})

test('The fold leaves out acts and shows the newest words, and changes nothing else', () => {
  const first = { id: '1', body: { kind: 'content', content: { type: 'text' as const, text: 'first' } } }
  const act = { id: '2', body: { kind: 'act' } }
  const acts = { edit: { n: 1, seq: 2, text: 'second' } }
  expect(foldEntries([first, act])).toEqual([first])
  expect(foldEntries([{ ...first, acts }])).toEqual([
    { ...first, acts, body: { kind: 'content', content: { type: 'text', text: 'second' } } },
  ])
  const waiting = { id: '3', content: { type: 'delete' as const, target, places: [1] } }
  expect(foldEntries([waiting])).toEqual([])
})
