import { type KeyboardEvent, useState } from 'react'
import type { Line } from './lines.ts'

/**
 * One message of the timeline is reached by Tab; the arrows, Home and End go on from it. `show` scrolls to a line and returns its
 * element once it stands in the page.
 */
export function useRowFocus(lines: Line[], show: (index: number) => Promise<Element | undefined>) {
  const [focusedKey, setFocusedKey] = useState<string>()
  const focused = lines.findIndex(({ key, kind }) => kind === 'message' && key === focusedKey)
  const tabStop = focused < 0 ? lines.findLastIndex(({ kind }) => kind === 'message') : focused

  async function press(event: KeyboardEvent<HTMLElement>) {
    const row = event.target instanceof HTMLElement && event.target.matches('.msg') ? event.target : undefined
    const to = row && step(event.key)
    if (to === undefined || to < 0) return
    event.preventDefault()
    setFocusedKey(lines[to]?.key)
    const line = await show(to)
    line?.querySelector<HTMLElement>('.msg')?.focus({ preventScroll: true })
  }

  function step(key: string): number | undefined {
    const isMessage = ({ kind }: Line) => kind === 'message'
    if (key === 'ArrowUp') return lines.slice(0, tabStop).findLastIndex(isMessage)
    if (key === 'ArrowDown') return lines.findIndex((line, index) => index > tabStop && isMessage(line))
    if (key === 'Home') return lines.findIndex(isMessage)
    if (key === 'End') return lines.findLastIndex(isMessage)
    return undefined
  }

  /** Call when a message got the focus. */
  const onFocus = (index: number) => setFocusedKey(lines[index]?.key)
  return { tabStop, press, onFocus }
}
