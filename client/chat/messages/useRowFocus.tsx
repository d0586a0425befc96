import type { Virtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type RefObject, useCallback, useState } from 'react'
import { useLatest } from '../../ui/useLatest.tsx'
import type { Line } from './timelineLines.ts'

/** Tab reaches the message that last had the focus, or the last message on screen. Arrows, Home and End move on. */
export function useRowFocus(
  scroller: RefObject<HTMLElement | null>,
  virtual: Virtualizer<HTMLDivElement, Element>,
  lines: Line[],
) {
  const { startIndex: from = 0, endIndex: to = lines.length } = virtual.range ?? {}
  const [focusedKey, setFocusedKey] = useState<string>()
  const focused = lines.findIndex(({ key, kind }) => kind === 'message' && key === focusedKey)
  const isHere = focused >= from && focused <= to
  const tabStop = isHere ? focused : lines.findLastIndex(({ kind }, index) => kind === 'message' && index <= to)

  async function press(event: KeyboardEvent<HTMLElement>) {
    const row = event.target instanceof HTMLElement && event.target.matches('.msg') ? event.target : undefined
    const next = row && step(event.key)
    if (next === undefined || next < 0) return
    event.preventDefault()
    await focusAt(next)
  }

  async function focusAt(index: number) {
    setFocusedKey(lines[index]?.key)
    const line = await show(index)
    line?.querySelector<HTMLElement>('.msg')?.focus({ preventScroll: true })
  }

  async function show(index: number): Promise<Element | undefined> {
    virtual.scrollToIndex(index, { align: 'auto' })
    for (let frames = 0; frames < 20; frames++) {
      await new Promise(requestAnimationFrame)
      const line = scroller.current?.querySelector(`[data-index="${index}"]`)
      if (line) return line
    }
    return undefined
  }

  function step(key: string): number | undefined {
    const isMessage = ({ kind }: Line) => kind === 'message'
    if (key === 'ArrowUp') return lines.slice(0, tabStop).findLastIndex(isMessage)
    if (key === 'ArrowDown') return lines.findIndex((line, index) => index > tabStop && isMessage(line))
    if (key === 'Home') return lines.findIndex(isMessage)
    if (key === 'End') return lines.findLastIndex(isMessage)
    return undefined
  }

  const latest = useLatest(lines)
  const onFocus = useCallback((index: number) => setFocusedKey(latest.current[index]?.key), [latest])
  return { tabStop, press, focusAt, onFocus }
}
