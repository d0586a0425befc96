import { expect } from 'vitest'
import type { Content } from '../contract/chat/content.ts'
import { contentWords, isForwarded, quoteIn } from '../contract/chat/kinds/kinds.ts'
import { timerWords } from '../contract/chat/kinds/timer.ts'
import { type Device, NOT_YET, PATIENCE, type Person, type Seat, seatsIn, seatsOf, type World } from './people.ts'
import { type Marks, NOTHING_READ, type Truth, truthOf } from './truth.ts'
import { connect } from './verbs.ts'

/** Connects everybody, waits until nothing is pending, then compares every tab with the server and with the written texts. */
export async function settle(world: World, isEnd: boolean): Promise<void> {
  const people = [world.alice, world.bob]
  for (const { device } of seatsIn(world)) connect(device)
  for (const device of people.flatMap(({ removed }) => removed)) connect(device)
  await expect.poll(() => unsettled(world), PATIENCE).toEqual([])
  const truth = await truthOf(world)
  for (const person of people) await closeGaps(person, truth.lastSeq)
  await checkTexts(world, truth, isEnd)
  await checkRows(world)
  if (isEnd) await checkReading(world)
  for (const person of people) {
    await checkMarks(person, truth)
    for (const device of person.removed.splice(0)) await checkRemoved(device, person)
  }
  for (const { name, tab } of seatsIn(world)) expect(tab.complaints, name).toEqual([])
  world.checkedSeq = truth.lastSeq
}

const tickOf = (seq: number, theirs: Marks | undefined) =>
  seq <= (theirs?.readSeq ?? 0) ? 'read' : seq <= (theirs?.deliveredSeq ?? 0) ? 'delivered' : 'sent'

/** Describes everything that is still pending. */
async function unsettled(world: World): Promise<string[]> {
  const before = await truthOf(world)
  const seats = seatsIn(world).map((seat) => waitsOf(seat, before))
  const people = [world.alice, world.bob].flatMap((person) => [unequalMarks(person), stillThere(person)])
  const waits = (await Promise.all([...seats, ...people])).flat()
  return (await truthOf(world)).lastSeq === before.lastSeq ? waits : [...waits, 'the room moves on']
}

/** Without a history a browser knows no marks from before it came. */
async function unequalMarks(person: Person): Promise<string[]> {
  if (!person.keepsHistory || person.historyFrom !== 0) return []
  const states = await Promise.all(seatsOf(person).map(({ tab }) => tab.state()))
  const marked = new Set(
    states.map(({ marks }) => JSON.stringify(Object.values(marks).map((told) => Object.entries(told).sort()))),
  )
  return marked.size > 1 ? [`marks differ: ${[...marked].join(' and ')}`] : []
}

/**
 * Says where something stays that was deleted for oneself. Not counted: browsers of an account that has been without a history, and
 * what a browser that is being removed may not have told.
 */
async function stillThere(person: Person): Promise<string[]> {
  const known = [...person.hidden].filter(([, { by }]) => !by.isLeaving).map(([seq]) => seq)
  if (known.length === 0 || !person.keepsHistory || person.historyFrom !== 0) return []
  const left = await Promise.all(
    seatsOf(person).map(async ({ name, tab }) => {
      const kept = new Set((await tab.history(0)).map(({ seq }) => seq))
      return known.filter((seq) => kept.has(seq)).map((seq) => `${name} still has ${seq}, deleted for ${person.name}`)
    }),
  )
  return left.flat()
}

async function waitsOf({ name, tab, device: { owner } }: Seat, { lastSeq, senders, emptied, marks }: Truth): Promise<string[]> {
  const { phase, isLive, row, readSeq: ownReadSeq, cursor, standing, outbox, view } = await tab.state()
  const { readSeq, unread } = marks.get(owner.userId) ?? NOTHING_READ
  const isAccepted = row?.direct?.state === 'accepted'
  const mustBeRead = isAccepted && seatsOf(owner).some(({ isLooking }) => isLooking)
  // Sending a message moves the server's read mark past it. A page need not know that.
  const passed = [...senders].filter(([seq, senderId]) => senderId !== owner.userId && seq > ownReadSeq && seq <= readSeq)
  const theirs = [...marks].find(([userId]) => userId !== owner.userId)?.[1]
  const falseTicks = view?.messages.filter(
    ({ seq, isMine, status, body }) => isMine && body.kind === 'text' && status !== tickOf(seq ?? 0, theirs),
  )
  const waits = {
    [`is ${phase}`]: phase !== 'signed_in',
    'is not connected': !isLive,
    'lists an older message': (row?.lastMessage?.seq ?? 0) < ([...senders.keys()].filter((seq) => !emptied.has(seq)).at(-1) ?? 0),
    [`has read up to ${cursor} of ${lastSeq}`]: isAccepted && cursor < lastSeq,
    'has unsent messages': outbox > 0,
    'is alarmed by device lists, although nobody lies': (row?.forks.length ?? 0) > 0,
    'shows unsent messages': view?.messages.some(({ seq }) => seq === null) === true,
    'shows less than there is': view !== null && lastSeq > 0 && view.status !== 'ready',
    'counts others as unread than the server': row?.unreadCount !== unread,
    'does not know how far was read': passed.length > 0,
    'looks and has not read': mustBeRead && unread > 0,
    [`shows the ticks ${falseTicks?.map(({ seq, status }) => `${seq} ${status}`)}`]:
      falseTicks !== undefined && falseTicks.length > 0,
    // Complaints are also checked at the end. Here they explain why something else does not settle.
    [`complains: ${tab.complaints.map(String)}`]: tab.complaints.length > 0,
    'is not in the room': standing !== 'joined' && !owner.keepsHistory && lastSeq > 0 && isAccepted,
  }
  return Object.entries(waits).flatMap(([words, isTrue]) => (isTrue ? [`${name} ${words}`] : []))
}

/** Ends the gaps of browsers that have joined the room or whose account keeps its history again. */
async function closeGaps(person: Person, lastSeq: number): Promise<void> {
  if (person.keepsHistory && person.historyFrom === NOT_YET) person.historyFrom = lastSeq
  for (const { gaps, seats } of person.devices) {
    const isIn = person.keepsHistory || (await seats[0]?.tab.state())?.standing === 'joined'
    for (const gap of gaps) if (isIn && gap.upTo === NOT_YET) gap.upTo = lastSeq
  }
}

/** Checks that every tab has every message once, in the server's order, with the written text, and no other message. */
async function checkTexts(world: World, truth: Truth, isEnd: boolean): Promise<void> {
  const faults: string[] = []
  const texts = new Map<number, string>()
  const reactions = new Map<number, string>()
  const lifetimes = new Map<number, number>()
  const openings = new Map<number, string>()
  const pins = new Map<string, string>()
  for (const seq of world.deleted) if (!truth.emptied.has(seq)) faults.push(`the server keeps what was deleted at ${seq}`)
  for (const seat of seatsIn(world)) {
    const { device, name, tab } = seat
    // A tab does not load the room of an unanswered request.
    if ((await tab.state()).row?.direct?.state !== 'accepted') continue
    const after = device.isWhole && !isEnd ? world.checkedSeq : 0
    const stored = await tab.history(after)
    const places = stored.map(({ seq }) => seq)
    if (places.some((seq, at) => seq <= (places[at - 1] ?? after))) faults.push(`${name} keeps them in the order ${places}`)
    // It may lack the key of an act.
    const isExcusedAt = (seq: number) => device.gaps.length > 0 && world.acted.has(seq)
    for (const { seq, senderId, body, isOutOfPlace, acts, lifetime = 0 } of stored) {
      const isTimer = body.kind === 'content' && body.content.type === 'timer'
      if (truth.silent.get(seq) === senderId && (isTimer || device.gaps.length > 0)) continue
      if (truth.senders.get(seq) !== senderId) faults.push(`${name} shows at ${seq} what the server does not have: ${body.kind}`)
      if (isOutOfPlace) faults.push(`${name} misses something before ${seq}`)
      if (body.kind !== 'content') continue
      if ((lifetimes.get(seq) ?? lifetime) !== lifetime)
        faults.push(`${name} ends ${seq} after ${lifetime} s, others after ${lifetimes.get(seq)}`)
      lifetimes.set(seq, lifetime)
      if (body.content.type === 'once') {
        world.onces.places.add(seq)
        if (isExcusedAt(seq)) continue
        const opened = JSON.stringify(acts?.opened ?? {})
        if ((openings.get(seq) ?? opened) !== opened)
          faults.push(`${name} has ${seq} opened by ${opened}, others by ${openings.get(seq)}`)
        openings.set(seq, opened)
        const mayOpen = senderId !== device.owner.userId && opened === '{}'
        if ((body.content.file !== undefined) !== mayOpen) faults.push(`${name} ${mayOpen ? 'cannot' : 'can still'} open ${seq}`)
        continue
      }
      const quote = quoteIn(body.content)
      const quoted = quote && stored.find(({ senderId, id }) => senderId === quote.senderId && id === quote.id)
      const text = contentWords(body.content)
      if (isExcusedAt(seq)) continue
      if (world.edits.has(text) && world.edits.get(text) !== seq && !isForwarded(body.content))
        faults.push(`"${text}" is an edit of ${world.edits.get(text)}`)
      const given = JSON.stringify(Object.entries(acts?.reactions ?? {}).sort())
      if ((reactions.get(seq) ?? given) !== given) faults.push(`${name} has at ${seq} ${given}, others ${reactions.get(seq)}`)
      reactions.set(seq, given)
      const answered = world.replies.get(text)
      if (quoted && !world.edits.has(text) && quoted.seq !== answered)
        faults.push(`${name} reads "${text}" as a reply to ${quoted.seq}, not ${answered}`)
      if (answered !== undefined && !quote && !isForwarded(body.content))
        faults.push(`${name} reads "${text}" without what it replies to`)
      if (isForwarded(body.content)) world.forwards.places.add(seq)
      if ((texts.get(seq) ?? text) !== text) faults.push(`${name} reads "${text}" at ${seq}, others "${texts.get(seq)}"`)
      texts.set(seq, text)
    }
    const unread = new Map(stored.map(({ seq, body }) => [seq, body.kind === 'unreadable' ? body.reason : body.kind]))
    for (const seq of truth.senders.keys()) {
      const expected = truth.emptied.has(seq) && !world.onces.places.has(seq) ? 'deleted' : 'content'
      const found = seq > after && seq <= truth.lastSeq ? (unread.get(seq) ?? 'nothing') : expected
      const isExcused =
        device.owner.hidden.has(seq) ||
        isExcusedAt(seq) ||
        (found !== '' && device.gaps.some((gap) => seq > gap.after && seq <= gap.upTo))
      if (found !== expected && !isExcused) faults.push(`${name} has at ${seq}: ${found}`)
    }
    await expect.poll(() => shownWrong(seat), PATIENCE).toEqual([])
    if (device.gaps.length === 0) pins.set((await tab.pinned()).join(), name)
    device.isWhole = true
  }
  const hiddenIds = [world.alice, world.bob].flatMap(({ hidden }) => [...hidden.values()].map(({ id }) => id))
  // Who deleted a pinned message for themself sees another one in its place.
  const isComparable = ![...pins.keys()].some((ids) => hiddenIds.some((id) => ids.includes(id)))
  if (pins.size > 1 && isComparable)
    faults.push(`what is pinned differs: ${[...pins.entries()].map(([ids, name]) => `${name} ${ids}`).join('; ')}`)
  for (const [what, { by, places }] of [
    ['forwarded', world.forwards],
    ['to open once', world.onces],
  ] as const) {
    const sure = by.filter(({ isLeaving }) => !isLeaving).length
    if (places.size < sure || places.size > by.length)
      faults.push(`${sure} to ${by.length} were ${what}, and ${places.size} stand there`)
  }
  for (const [seq, text] of texts) {
    if (world.edits.has(text) || world.forwards.places.has(seq)) continue
    const written = world.texts.get(text)
    if (!written || (written.seq ?? seq) !== seq)
      faults.push(`"${text}" stands at ${seq}${written ? ` and at ${written.seq}` : ''}`)
    else written.seq = seq
  }
  const latest = new Map<string, number>()
  for (const [text, { seq, isSure, device, by, isTakenBack }] of world.texts) {
    if (isTakenBack && seq !== undefined) faults.push(`"${text}" was taken back, and stands at ${seq}`)
    if (seq === undefined && isSure && !device.isLeaving && !isTakenBack) faults.push(`"${text}" is lost`)
    if (seq === undefined || by === undefined) continue
    if (seq < (latest.get(by) ?? 0)) faults.push(`"${text}" stands before what ${by} wrote earlier`)
    latest.set(by, seq)
  }
  expect(faults).toEqual([])
}

/** Compares the open view with the stored messages: the newest must be shown, each with its text or the cause why it has none. */
async function shownWrong({ name, tab, isOpen }: Seat): Promise<string[]> {
  const { view } = await tab.state()
  if (!isOpen || !view) return isOpen ? [`${name} shows no room`] : []
  const kept = await tab.history((view.messages[0]?.seq ?? 1) - 1)
  const shownAs: Record<string, string> = { sealed: 'unreadable', withheld: 'notice' }
  const kindOf = ({ kind }: { kind: string }) => shownAs[kind] ?? kind
  const expected = kept.map(({ seq, body }) => `${seq} ${body.kind === 'content' ? saidIn(body.content) : kindOf(body)}`)
  const shown = view.messages.map(
    ({ seq, body }) => `${seq} ${body.kind === 'text' || body.kind === 'timer' || body.kind === 'once' ? body.text : body.kind}`,
  )
  const faults = expected.join() === shown.join() ? [] : [`${name} shows ${shown.join()} and keeps ${expected.join()}`]
  if (view.hasNewer) faults.push(`${name} does not show the newest`)
  for (const { seq, body } of view.messages)
    if (body.kind === 'unreadable' && body.reason === '') faults.push(`${name} gives no reason at ${seq}`)
  return faults
}

const saidIn = (content: Content): string => (content.type === 'timer' ? timerWords(content) : contentWords(content))

/** Checks that the search finds, and an export has, what the chat shows, and no other word. */
async function checkReading(world: World): Promise<void> {
  for (const { name, tab } of seatsIn(world)) {
    if ((await tab.state()).row?.direct?.state !== 'accepted') continue
    const kept = (await tab.history(0)).flatMap(({ seq, body }) => (body.kind === 'content' ? [{ seq, said: body.content }] : []))
    const texts = kept.flatMap(({ seq, said }) => (said.type === 'text' ? [seq] : []))
    expect(await tab.finds('number'), `${name} finds`).toEqual(texts)
    const exported = (await tab.exports()).filter((line) => !/^\d+ null$/.test(line))
    expect(exported, `${name} exports`).toEqual(kept.map(({ seq, said }) => `${seq} ${contentWords(said)}`))
  }
}

/** Checks that no written text is in the server's rows. */
async function checkRows({ server, chatRoomId, checkedSeq }: World): Promise<void> {
  const words = '%number % from %'
  const clear = await server.sql(
    'select seq from messages where room = (select number from chat_rooms where id = $1) and seq > $2 and content like $3',
    [...[chatRoomId, checkedSeq, words]],
  )
  expect(clear).toEqual([])
}

/** Checks that the server's counter equals the unread messages, nothing is read unseen, and every tab shows the same counter. */
async function checkMarks(person: Person, { senders, marks }: Truth): Promise<void> {
  const { readSeq, unread } = marks.get(person.userId) ?? NOTHING_READ
  const missing = [...senders].filter(([seq, senderId]) => seq > readSeq && senderId !== person.userId)
  expect(unread, `unread by ${person.name}`).toBe(missing.length)
  if (!person.hasLooked) expect(readSeq, `${person.name} has not looked`).toBe(person.readSeq)
  for (const { name, tab } of seatsOf(person)) {
    const { row, unreadTotal } = await tab.state()
    expect(unreadTotal, name).toBe(row?.direct?.state === 'accepted' ? unread : 0)
  }
  person.readSeq = readSeq
  person.hasLooked = seatsOf(person).some(({ isLooking }) => isLooking)
}

/** Checks that a removed browser is signed out and, if it learned the cause, has deleted its data. */
async function checkRemoved({ name, seats, browser }: Device, { userId }: Person): Promise<void> {
  for (const { tab } of seats) {
    await expect.poll(async () => (await tab.state()).phase, { ...PATIENCE, message: name }).toBe('signed_out')
    const { notice } = await tab.state()
    if (notice?.includes('removed')) expect(await browser.databases(), name).not.toContain(`conclave-${userId}`)
    tab.close()
  }
}
