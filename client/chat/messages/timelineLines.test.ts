import { expect, test } from 'vitest'
import { newsOf } from './news.ts'
import { remarksOf } from './remarks.ts'
import type { Fresh, ShownMessage } from './store.ts'
import { isApart, type Line, newWords, timelineLines } from './timelineLines.ts'

const message = (
  id: string,
  isMine: boolean,
  at: Date,
  body: ShownMessage['body'] = { kind: 'text', text: id },
): ShownMessage => ({
  id,
  seq: 1,
  isMine,
  at: at.toISOString(),
  status: isMine ? 'sent' : null,
  reason: null,
  body,
  isOutOfPlace: false,
})
const at = (hour: number, minute: number, day = 20) => new Date(2026, 10, day, hour, minute)
const endsRun = (all: Line[], index: number) => all[index + 1] === undefined || isApart(all, index + 1)
const lines = (messages: ShownMessage[], fresh: Fresh | null = null) =>
  timelineLines({ messages, fresh, hasOlder: false }).slice(1)
const comparedIn = (messages: ShownMessage[], at: Date, more: { hasOlder?: boolean; hasNewer?: boolean } = {}) =>
  timelineLines({ messages, fresh: null, hasOlder: false, ...more, comparedAt: at.toISOString() }).map((line, index, all) =>
    line.kind === 'message' ? line.message.id + (endsRun(all, index) ? ']' : '') : line.kind,
  )
const drawn = (messages: ShownMessage[], fresh: Fresh | null = null) =>
  lines(messages, fresh).map((line, index, all) =>
    line.kind === 'message' ? `${line.startsRun ? '[' : ' '}${line.message.id}${endsRun(all, index) ? ']' : ' '}` : line.kind,
  )

test('what one person writes in one go is a run, and another speaker or a pause ends it', () => {
  expect(
    drawn([
      message('a', false, at(9, 0)),
      message('b', false, at(9, 5)),
      message('c', true, at(9, 6)),
      message('d', true, at(9, 20)),
    ]),
  ).toEqual(['day', '[a ', ' b]', '[c]', '[d]'])
})

test('a day stands above its first message and cuts a run', () => {
  expect(drawn([message('a', true, at(23, 58, 19)), message('b', true, at(0, 1))])).toEqual(['day', '[a]', 'day', '[b]'])
})

test('a notice cuts a run', () => {
  const notice = message('n', false, at(9, 1), { kind: 'notice', text: 'Encryption restarted' })
  expect(drawn([message('a', false, at(9, 0)), notice, message('b', false, at(9, 2))])).toEqual(['day', '[a]', 'notice', '[b]'])
})

test('a message that is out of place has the warning above it, once for those in a row, and it cuts a run', () => {
  const odd = (id: string, minute: number) => ({ ...message(id, false, at(9, minute)), isOutOfPlace: true })
  const messages = [message('a', false, at(9, 0)), odd('b', 1), odd('c', 2), message('d', true, at(9, 3)), odd('e', 4)]
  expect(drawn(messages)).toEqual(['day', '[a]', 'warning', '[b ', ' c]', '[d]', 'warning', '[e]'])
  const words = lines(messages).flatMap((line) => (line.kind === 'warning' ? [line.text] : []))
  expect(words[0]).toBe('The server dropped or reordered messages before this one.')
})

test('keys are unique and stay when older messages arrive', () => {
  const newer = [message('c', true, at(9, 0)), message('unsent', true, at(8, 0, 19)), message('d', true, at(9, 1))]
  const keys = (messages: ShownMessage[]) => lines(messages).map((line) => line.key)
  const before = keys(newer)
  const after = keys([message('a', false, at(7, 0)), message('same', false, at(7, 1)), message('same', true, at(7, 2)), ...newer])
  expect(new Set(after).size).toBe(after.length)
  expect(after).toEqual(expect.arrayContaining(before))
})

const times = (messages: ShownMessage[]) =>
  lines(messages).flatMap((line) => (line.kind === 'message' && line.hasTime ? [line.message.id] : []))

test('the time stands once a minute of one person, and always where it says more than the minute', () => {
  const second = (id: string, isMine: boolean, seconds: number) => message(id, isMine, new Date(2026, 10, 20, 9, 0, seconds))
  const failed = { ...second('b', true, 2), status: 'failed' as const }
  expect(times([second('a', true, 1), failed, second('c', true, 3), second('d', true, 61), second('e', false, 62)])).toEqual([
    'b',
    'c',
    'd',
    'e',
  ])
})

test('the line above the unread stands once, above the first unread of the other person, and cuts a run', () => {
  const placed = (id: string, isMine: boolean, seq: number) => ({ ...message(id, isMine, at(9, seq)), seq })
  const messages = [placed('a', false, 1), placed('b', true, 2), placed('c', false, 3), placed('d', false, 4)]
  expect(drawn(messages, { after: 1, count: 2 })).toEqual(['day', '[a]', '[b]', 'new', '[c ', ' d]'])
  expect(drawn(messages, { after: 3, count: 1 })).toEqual(['day', '[a]', '[b]', '[c]', 'new', '[d]'])
  expect(drawn(messages, { after: 4, count: 1 })).toEqual(['day', '[a]', '[b]', '[c ', ' d]'])
  expect([newWords(1), newWords(12)]).toEqual(['1 new message', '12 new messages'])
})

test('That somebody was verified by a scanned code stands where it happened too, and says so', () => {
  const shown = { messages: [message('a', false, at(9, 0))], fresh: null, hasOlder: false, comparedAt: at(9, 1).toISOString() }
  const compared = (isByCode: boolean) => timelineLines({ ...shown, isByCode }).find(({ kind }) => kind === 'compared')
  expect([compared(true), compared(false)]).toMatchObject([{ isByCode: true }, { isByCode: false }])
})

test('That the numbers were compared stands where it happened, under its day, and not beside messages that are not loaded', () => {
  const messages = [message('a', false, at(9, 0)), message('b', false, at(9, 2)), message('c', false, at(9, 0, 21))]
  expect(comparedIn(messages, at(9, 1))).toEqual(['about', 'day', 'a]', 'compared', 'b]', 'day', 'c]'])
  expect(comparedIn(messages, at(23, 0))).toEqual(['about', 'day', 'a', 'b]', 'compared', 'day', 'c]'])
  expect(comparedIn(messages, at(9, 0, 22))).toEqual(['about', 'day', 'a', 'b]', 'day', 'c]', 'day', 'compared'])
  expect(comparedIn(messages, at(8, 0))).toEqual(['about', 'day', 'compared', 'a', 'b]', 'day', 'c]'])
  expect(comparedIn(messages, at(8, 0), { hasOlder: true })).toEqual(['a', 'b]', 'day', 'c]'])
  expect(comparedIn(messages, at(9, 0, 22), { hasNewer: true })).not.toContain('compared')
})

test('what the server withholds is one calm line for all in a row, which nobody is told of as news', () => {
  const calm = (id: string) => message(id, false, at(9, 0), { kind: 'notice', text: 'not kept', isQuiet: true })
  const shown = [message('a', false, at(9, 0)), calm('b'), calm('c'), message('d', false, at(9, 1)), calm('e')]
  expect(drawn(shown)).toEqual(['day', '[a]', 'notice', '[d]', 'notice'])
  expect(drawn(shown.slice(1), { after: 0, count: 1 })).toEqual(['day', 'notice', 'new', '[d]', 'notice'])
  expect(newsOf([], shown.slice(1, 3), 'Bob')).toEqual([])
})

const ALBUM = '5b9d5a3c-6a1e-4a55-9b53-5d2a1b0c7e11'
const picture = (place: number, more: Partial<ShownMessage> = {}, albumId = ALBUM): ShownMessage => ({
  ...message(`p${place}`, true, at(9, 0), {
    ...{ kind: 'file', text: place === 0 ? 'by the sea' : '', chatRoomId: 'room' },
    file: {
      ...{ type: 'file', as: 'image', object: `${place}`, storedBytes: 4096, key: '', hash: '', name: '', sizeBytes: 1 },
      ...{ mediaType: 'image/png', caption: '', album: { id: albumId, place } },
    },
  }),
  ...more,
})
const albums = (messages: ShownMessage[]) =>
  lines(messages).flatMap((line) =>
    line.kind === 'message' ? [(line.album ?? [line.message]).map(({ id }) => id).join(' ')] : [],
  )

test('Pictures that were sent together are one line, by their places, with the caption and the least status', () => {
  const sent = [picture(0, { seq: 5, status: 'read' }), picture(2, { seq: 6, status: 'read' }), picture(1, { seq: 7 })]
  expect(albums(sent)).toEqual(['p0 p1 p2'])
  const [line] = lines(sent).filter(({ kind }) => kind === 'message')
  expect(line).toMatchObject({ message: { id: 'p0', seq: 7, status: 'sent', body: { text: 'by the sea' } } })
  // An unchanged album keeps its objects, which spares it a render.
  const again = lines([...sent, message('z', false, at(9, 1))]).find(({ kind }) => kind === 'message')
  expect(again).toMatchObject({ key: line?.key })
  expect([again, line].map((one) => one?.kind === 'message' && one.album)[0]).toBe(line?.kind === 'message' && line.album)
})

test('What is wrong with one picture is said of its album, and is put aside as older only where all of it is', () => {
  const said = (...more: Partial<ShownMessage>[]) => {
    const [line] = lines(more.map((one, place) => picture(place, { isMine: false, seq: 5 + place, ...one }))).filter(
      ({ kind }) => kind === 'message',
    )
    return line?.kind === 'message' ? remarksOf(line.message, 'Bob') : undefined
  }
  const removed = ['Sent from a browser that Bob has removed since.']
  const archive = ['Sealed wrongly for the archive: your other and later browsers cannot read it.']
  expect(said({}, {})).toEqual({ below: [], details: [] })
  expect(said({ isRemovedSince: true }, {}, {})).toEqual({ below: removed, details: [] })
  expect(said({ isArchiveWrong: true, isOlder: true }, { isOlder: true })).toEqual({ below: archive, details: [] })
  expect(said({ isRemovedSince: true, isOlder: true }, { isOlder: true })).toEqual({ below: [], details: removed })
  expect(said({ isRemovedSince: true, isOlder: true }, {})).toEqual({ below: removed, details: [] })
})

test('Another message ends an album, but an own picture that is not sent yet stands with the others', () => {
  const between = message('z', false, at(9, 1), { kind: 'text', text: 'z' })
  expect(albums([picture(0), picture(1), between, picture(2)])).toEqual(['p0 p1', 'z', 'p2'])
  const failed = picture(1, { seq: null, status: 'failed' })
  expect(albums([picture(0), picture(2), between, failed])).toEqual(['p0 p1 p2', 'z'])
  expect(lines([picture(0), picture(2), between, failed]).find(({ kind }) => kind === 'message')).toMatchObject({
    message: { status: 'sent' },
  })
})

test('What follows each other after a break is joined again, and its key stays when older pages come', () => {
  const theirs = (place: number) => picture(place, { isMine: false, seq: 5 + place })
  const between = message('z', false, at(9, 1), { kind: 'text', text: 'z' })
  const later = [theirs(1), theirs(2), theirs(3), { ...between, id: 'y' }, theirs(4), theirs(5)]
  expect(albums([theirs(0), between, ...later])).toEqual(['p0', 'z', 'p1 p2 p3', 'y', 'p4 p5'])
  const keys = (messages: ShownMessage[]) => lines(messages).flatMap(({ kind, key }) => (kind === 'message' ? [key] : []))
  expect(keys([theirs(0), between, ...later]).slice(2)).toEqual(keys(later))
})

test('A second picture with words of its own begins another line, so no words are hidden', () => {
  const said = (place: number, text: string) => {
    const { body } = picture(place)
    return picture(place, { body: { ...body, text } as ShownMessage['body'] })
  }
  const all = [picture(0), picture(1), said(2, 'the lake'), picture(3), said(4, 'home')]
  expect(albums(all)).toEqual(['p0 p1', 'p2 p3', 'p4'])
  expect(albums([said(0, ''), said(1, 'the sea'), picture(2)])).toEqual(['p0 p1 p2'])
})

test('A picture that is not sent yet stands with the last of its album', () => {
  const between = message('z', false, at(9, 1), { kind: 'text', text: 'z' })
  const sent = [picture(0), between, picture(1), picture(2)]
  const unsent = picture(3, { seq: null, status: 'failed' })
  for (const after of [[], [{ ...between, id: 'y' }]])
    expect(albums([...sent, ...after, unsent])).toEqual(['p0', 'z', 'p1 p2 p3', ...after.map(({ id }) => id)])
})

test('An album of Eve holds ten pictures at most, nobody else’s, and no two lines have one key', () => {
  const many = Array.from({ length: 25 }, (_, index) => picture(index % 10, { id: `e${index}`, isMine: false, status: null }))
  const all = lines([...many.slice(0, 12), picture(0), ...many.slice(12)])
  const counts = all.flatMap((line) => (line.kind === 'message' ? [line.album?.length ?? 1] : []))
  expect(Math.max(...counts)).toBe(10)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(26)
  expect(new Set(all.map(({ key }) => key)).size).toBe(all.length)
  expect(all.every((line) => line.kind !== 'message' || new Set((line.album ?? []).map(({ isMine }) => isMine)).size < 2)).toBe(
    true,
  )
})

test('An album is announced once', () => {
  const [first, second] = [picture(0, { isMine: false, seq: 5 }), picture(1, { isMine: false, seq: 6 })]
  expect(newsOf([], [first, second], 'Bob').map(({ words }) => words)).toEqual(['Bob: Photos. by the sea'])
  expect(newsOf([first], [first, second], 'Bob')).toEqual([])
  const said = { ...second, body: { ...second.body, text: 'home' } as ShownMessage['body'] }
  expect(newsOf([first], [first, said], 'Bob').map(({ words }) => words)).toEqual(['Bob: Photos. home'])
  const odd = { ...second, isOutOfPlace: true }
  expect(newsOf([first], [first, odd], 'Bob').map(({ words }) => words)).toEqual([
    'The server dropped or reordered messages before this one. Bob: Photos.',
  ])
})

test('What is no picture is no part of an album, whatever its sender says', () => {
  const { body } = picture(1)
  if (body.kind !== 'file') throw new Error('A picture is a file')
  const document = { ...body, file: { ...body.file, as: 'file' as const, name: 'plan.pdf' } }
  const [first, other] = [picture(0, { isMine: false, seq: 5 }), picture(1, { isMine: false, seq: 6, body: document })]
  expect(albums([first, other])).toEqual(['p0', 'p1'])
  expect(newsOf([first], [first, other], 'Bob').map(({ words }) => words)).toEqual(['Bob: plan.pdf.'])
})
