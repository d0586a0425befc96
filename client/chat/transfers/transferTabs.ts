import { changeTransfer, type Transfer, transferStore } from '../transferline/transferState.ts'
import type { TransferConsent } from '../transferline/transferVerbs.ts'
import { ownName } from './memoryKey.ts'

// One tab of a browser has a transfer in hand. The others show what it shows, and pass on what the person does.

export type Act = { kind: 'accept'; consent: TransferConsent } | { kind: 'pause' }

type Told = { kind: 'shows'; id: string; to: Partial<Transfer> } | { kind: 'asks' } | { kind: 'does'; id: string; act: Act }

interface Tabs {
  has: (id: string) => boolean
  does: (id: string, act: Act) => void
}

let channel: BroadcastChannel | undefined
let tabs: Tabs | undefined

export function followTabs(followed: Tabs): () => void {
  if (typeof BroadcastChannel === 'undefined') return () => undefined
  const opened = new BroadcastChannel(`conclave/transfers/${ownName()}`)
  channel?.close()
  channel = opened
  tabs = followed
  opened.onmessage = ({ data }: MessageEvent<Told>) => hear(data)
  tell({ kind: 'asks' })
  return () => {
    opened.close()
    if (channel === opened) channel = tabs = undefined
  }
}

const tell = (told: Told): void => channel?.postMessage(told)

function hear(told: Told): void {
  if (told.kind === 'asks') {
    for (const [id, one] of transferStore.getState().transfers) if (tabs?.has(id)) tell({ kind: 'shows', id, to: one })
  } else if (told.kind === 'does') {
    if (tabs?.has(told.id)) tabs.does(told.id, told.act)
  } else if (!tabs?.has(told.id)) putOrChange(told.id, told.to)
}

function putOrChange(id: string, to: Partial<Transfer>): void {
  if (transferStore.getState().transfers.has(id)) changeTransfer(id, to)
  else if (to.content && to.stage) putTransfer(id, to as Transfer)
}

export function putTransfer(id: string, transfer: Transfer): void {
  transferStore.setState(({ transfers }) => ({ transfers: new Map(transfers).set(id, transfer) }))
}

/** Here, and in the other tabs. */
export function showTransfer(id: string, to: Partial<Transfer>): void {
  changeTransfer(id, to)
  tell({ kind: 'shows', id, to })
}

export const passOn = (id: string, act: Act): void => tell({ kind: 'does', id, act })

const lockOf = (id: string): string => `conclave/transfer/${ownName()}/${id}`

/** Returns how to let go; undefined if another tab has it, or if `signal` ended the waiting. */
export async function holdTransfer(id: string, signal?: AbortSignal): Promise<(() => void) | undefined> {
  const { locks } = globalThis.navigator ?? {}
  if (!locks) return () => undefined
  return new Promise((resolve) => {
    const held = locks.request(lockOf(id), signal ? { signal } : { ifAvailable: true }, (lock) => {
      if (!lock) return resolve(undefined)
      return new Promise<void>((letGo) => resolve(letGo))
    })
    held.catch(() => resolve(undefined))
  })
}

export async function isHeld(id: string): Promise<boolean> {
  const { held = [] } = (await globalThis.navigator?.locks?.query?.()) ?? {}
  return held.some(({ name }) => name === lockOf(id))
}
