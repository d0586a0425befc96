import type { ShownMessage } from '../client/chat/messages/store.ts'
import { MARK_NAMES } from '../contract/chat/content.ts'
import { LIFETIMES } from '../contract/chat/lifetimes.ts'
import type { Seat, World } from './people.ts'
import type { Dice } from './walk.ts'

/** Chooses a message that this tab shows, and notes where it stands. */
export async function chooses({ tab }: Seat, world: World, dice: Dice, isMeant: (message: ShownMessage) => boolean) {
  // What was forwarded stands as it came, so that it can be counted.
  const shown =
    (await tab.state()).view?.messages.filter(
      (one) => one.seq !== null && one.body.kind === 'text' && !one.body.isForwarded && isMeant(one),
    ) ?? []
  if (shown.length === 0) return undefined
  const { seq, body } = dice.pick(shown)
  const written = body.kind === 'text' ? world.texts.get(body.text) : undefined
  if (seq === null) return undefined
  if (written) written.seq ??= seq
  return seq
}

/** Chooses a message to change. */
async function changes(...choice: Parameters<typeof chooses>) {
  const seq = await chooses(...choice)
  if (seq !== undefined) choice[1].acted.add(seq)
  return seq
}

const isOwn = ({ isMine }: ShownMessage) => isMine

export async function edits(seat: Seat, world: World, dice: Dice): Promise<void> {
  const seq = await changes(seat, world, dice, isOwn)
  if (seq === undefined) return
  const text = `number ${world.texts.size + world.edits.size}, from ${seat.name}, edited at ${seq}`
  world.edits.set(text, seq)
  await seat.tab.edits(seq, text)
}

export async function reacts(seat: Seat, world: World, dice: Dice): Promise<void> {
  const seq = await changes(seat, world, dice, () => true)
  if (seq !== undefined) await seat.tab.reacts(seq, dice.pick(['👍', '🎉', '🙏', '😄']))
}

export async function forwards(seat: Seat, world: World, dice: Dice): Promise<void> {
  const seq = await chooses(seat, world, dice, () => true)
  if (seq === undefined) return
  world.forwards.by.push(seat.device)
  await seat.tab.forwards(seq)
}

export async function sendsOnce({ tab, device }: Seat, world: World): Promise<void> {
  if (await tab.sendsOnce()) world.onces.by.push(device)
}

export async function opensOnce({ tab }: Seat, world: World, dice: Dice): Promise<void> {
  const shown = (await tab.state()).view?.messages.filter(({ isMine, body }) => !isMine && body.kind === 'once') ?? []
  const { seq } = shown.length > 0 ? dice.pick(shown) : { seq: null }
  if (seq === null) return
  world.acted.add(seq)
  await tab.opensOnce(seq)
}

export async function pins(seat: Seat, world: World, dice: Dice): Promise<void> {
  const seq = await chooses(seat, world, dice, () => true)
  if (seq !== undefined) await seat.tab.pins(seq)
}

export async function stars(seat: Seat, world: World, dice: Dice): Promise<void> {
  const seq = await chooses(seat, world, dice, () => true)
  if (seq !== undefined) await seat.tab.stars(seq)
}

/** By the notes, which the first one makes at the server. */
export async function hides(seat: Seat, world: World, dice: Dice): Promise<void> {
  const seq = await chooses(seat, world, dice, ({ isPinned }) => !isPinned)
  if (seq === undefined) return
  const { device, tab } = seat
  device.owner.hidden.set(seq, { id: await tab.hides(seq), by: device })
}

/** None ends within a walk. */
export async function setsTimer({ tab }: Seat, _: World, dice: Dice): Promise<void> {
  await tab.setsTimer(dice.pick([0, 24 * 60 * 60, LIFETIMES.max]))
}

/** The first mark of an account makes its notes, which needs the server. */
export async function marks({ tab }: Seat, _: World, dice: Dice): Promise<void> {
  await tab.marks(dice.pick([...MARK_NAMES]), dice.pick([true, false]))
}

export async function deletes(seat: Seat, world: World, dice: Dice): Promise<void> {
  const seq = await changes(seat, world, dice, isOwn)
  if (seq === undefined) return
  world.deleted.add(seq)
  await seat.tab.deletes(seq)
}
