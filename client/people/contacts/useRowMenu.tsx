import { type RefObject, useEffect, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { followLongPress } from '../../ui/longPress.ts'
import { showToast } from '../../ui/toast.ts'

interface Asked {
  chatRoomId: string
  /** px of the window. */
  at: { x: number; y: number }
}

/** Letters of the row's menu. */
const LETTER = /^[PUME]$/
/** With Alt and Shift: where a pinned row goes. */
const STEPS: Record<string, number> = { ArrowUp: -1, ArrowDown: 1 }

/**
 * Opens the menu of a row by a right click, the menu key, a long press or the row's button, takes its letters, and moves pinned rows by
 * keys and by dragging.
 */
export function useRowMenu(area: RefObject<HTMLElement | null>): [Asked | undefined, () => void] {
  const env = useEnv()
  const [asked, setAsked] = useState<Asked>()
  useEffect(() => {
    const element = area.current
    if (!element) return
    const open = (target: EventTarget | null, at: { x: number; y: number }): boolean => {
      const row = target instanceof Element ? target.closest('li') : null
      const link = row?.querySelector<HTMLElement>('a[data-room]')
      const chatRoomId = link?.dataset['room']
      if (!row || !link || !chatRoomId) return false
      // The menu gives the focus back to the row.
      link.focus({ preventScroll: true })
      const box = row.getBoundingClientRect()
      // A key has no place: the menu opens at the row.
      setAsked({ chatRoomId, at: at.x === 0 && at.y === 0 ? { x: box.left + 60, y: box.top + 40 } : at })
      return true
    }
    const context = (event: MouseEvent) => {
      if (open(event.target, { x: event.clientX, y: event.clientY })) event.preventDefault()
    }
    const click = (event: MouseEvent) => {
      const button = event.target instanceof Element ? event.target.closest('.more') : null
      if (!button) return
      const box = button.getBoundingClientRect()
      open(button, { x: box.left, y: box.bottom })
      event.preventDefault()
      event.stopPropagation()
    }
    const press = (event: KeyboardEvent) => {
      const { target, ctrlKey, metaKey, altKey, shiftKey, isComposing, repeat } = event
      const letter = event.key.toUpperCase()
      const step = altKey && shiftKey ? STEPS[event.key] : undefined
      const isPlain = !altKey && !shiftKey && LETTER.test(letter)
      const isOther = ctrlKey || metaKey || isComposing || repeat || !(isPlain || step)
      const chatRoomId = target instanceof HTMLElement && target.closest('li[aria-posinset]') ? target.dataset['room'] : undefined
      if (isOther || !chatRoomId) return
      event.preventDefault()
      Promise.all([import('./rowKeys.ts'), import('./markItems.tsx')])
        .then(([{ pressRow }, { movePin }]) => (step ? movePin(env, chatRoomId, step) : pressRow(env, chatRoomId, letter)))
        .catch((error: unknown) => showToast({ tone: 'bad', title: 'The chat was not marked', text: failureWords(error) }))
    }
    // The finger that opened the menu does not open the chat as well.
    const endLongPress = followLongPress(element, open)
    element.addEventListener('contextmenu', context)
    element.addEventListener('click', click, true)
    element.addEventListener('keydown', press)
    const page = new AbortController()
    // Errors are ignored: keys and menu move pins too.
    const follow = (event: PointerEvent) => {
      if (event.pointerType !== 'mouse') return
      element.removeEventListener('pointerover', follow)
      import('./dragPins.ts')
        .then(({ followDrags }) => page.signal.aborted || followDrags(env, element, page.signal))
        .catch(() => undefined)
    }
    element.addEventListener('pointerover', follow, page)
    return () => {
      page.abort()
      endLongPress()
      element.removeEventListener('contextmenu', context)
      element.removeEventListener('click', click, true)
      element.removeEventListener('keydown', press)
    }
  }, [area, env])
  return [asked, () => setAsked(undefined)]
}
