import { type RefObject, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { useStore } from 'zustand'
import { roomById } from '../../rooms/list/roomList.ts'
import { useEnv } from '../../ui/env.tsx'
import { followSwipe } from '../../ui/followSwipe.ts'
import { later } from '../../ui/later.tsx'
import { followLongPress } from '../../ui/longPress.ts'
import { Menu, type Point } from '../../ui/Menu.tsx'
import { showToast } from '../../ui/toast.ts'
import { copyText } from '../../ui/useCopy.tsx'
import { useLatest } from '../../ui/useLatest.tsx'
import { MessageBar } from './MessageBar.tsx'
import './messageacts.css'
import { type Asked, messageVerbs } from './messageVerbs.tsx'
import { askOnce, canOpen, onceAsked } from './onceAsked.ts'
import { wordsOf } from './quotes.ts'
import { replySwipe } from './replySwipe.ts'
import { isSelecting, SELECTED_MAX, toggleSelected } from './select.ts'
import { keyOf, selectionStore } from './selection.ts'
import type { ShownMessage } from './store.ts'
import type { Line } from './timelineLines.ts'

const EmojiPicker = later(async () => (await import('../emoji/EmojiPicker.tsx')).EmojiPicker)
const ForwardDialog = later(async () => (await import('./ForwardDialog.tsx')).ForwardDialog)
const DeleteMessage = later(async () => (await import('./DeleteMessage.tsx')).DeleteMessage)
const OnceDialog = later(async () => (await import('./OnceDialog.tsx')).OnceDialog)
const MessageDetails = later(async () => (await import('./MessageDetails.tsx')).MessageDetails)

/** px, where a key has asked. */
const CENTRE: Point = { x: 0, y: 0 }

interface Props {
  chatRoomId: string
  scroller: RefObject<HTMLElement | null>
  lines: Line[]
  onUpgrade: () => void
}

interface At {
  element: HTMLElement
  message: ShownMessage
  line: Line
}

/** It may be an earlier state of a message that is shown. Somebody else's may have its id. */
function lineOf(lines: Line[], message: ShownMessage) {
  const isIt = (one: ShownMessage) => keyOf(one) === keyOf(message)
  return lines.find((line) => line.kind === 'message' && (line.album ?? [line.message]).some(isIt))
}

/** With the pictures that were sent with it. */
function withAlbum(lines: Line[], message: ShownMessage): ShownMessage[] {
  const line = lineOf(lines, message)
  return line?.kind === 'message' ? (line.album ?? [line.message]) : [message]
}

/** What can be done with a message: by a bar beside the one under the pointer or with the focus, a menu, keys, and a finger. */
export function MessageActs({ chatRoomId, scroller, lines, onUpgrade }: Props) {
  const env = useEnv()
  const [active, setActive] = useState<At>()
  const [asked, setAsked] = useState<{ of: Asked; message: ShownMessage; messages: ShownMessage[]; at: Point }>()
  const once = useStore(onceAsked, ({ message }) => message)
  useEffect(() => () => askOnce(null), [])
  const [menu, setMenu] = useState<{ message: ShownMessage; at: Point }>()

  const verbs = messageVerbs({
    env,
    chatRoomId,
    onUpgrade,
    onAsk: (of, message) => setAsked({ of, message, messages: withAlbum(lines, message), at: menu?.at ?? CENTRE }),
    onSelect: (message) => toggle(lineOf(lines, message)),
  })
  function toggle(line: Line | undefined, isRange = false) {
    if (line && !toggleSelected(chatRoomId, lines, line, isRange))
      showToast({ tone: 'bad', title: 'Too Many Messages', text: `At most ${SELECTED_MAX} can be selected at once` })
  }
  useEffect(() => () => selectionStore.setState({ selection: null }), [])
  const { canReply, mayReact, reply, itemsOf, quickOf } = verbs
  function open(message: ShownMessage, at: Point, target?: EventTarget | null): boolean {
    if (isSelecting(chatRoomId)) return false
    if (target instanceof Element && target.closest('.reactions')) {
      // Who reacted stands there.
      setAsked({ of: 'details', message, messages: [message], at })
      return true
    }
    const hasItems = itemsOf(message).length + quickOf(message).length > 0
    if (hasItems) setMenu({ message, at })
    return hasItems
  }
  const latest = useLatest({ lines, open, toggle, ...verbs })
  useEffect(() => {
    const area = scroller.current
    if (!area) return
    const lineAt = (target: EventTarget | null): Line | undefined => {
      const index = target instanceof Element ? target.closest<HTMLElement>('.line')?.dataset['index'] : undefined
      return index === undefined ? undefined : latest.current.lines[Number(index)]
    }
    const at = (target: EventTarget | null): At | undefined => {
      const element = target instanceof Element ? target.closest<HTMLElement>('.msg') : null
      const line = lineAt(element)
      return element && line?.kind === 'message' ? { element, message: line.message, line } : undefined
    }
    const select = (event: MouseEvent) => {
      if (!isSelecting(chatRoomId)) return
      event.preventDefault()
      event.stopPropagation()
      latest.current.toggle(lineAt(event.target), event.shiftKey)
    }
    const look = ({ target }: Event) => {
      const now = at(target)
      setActive((before) => (before?.element === now?.element && before?.message === now?.message ? before : now))
    }
    const leave = () => setActive(at(document.activeElement))
    const context = (event: MouseEvent) => {
      const { target, clientX: x, clientY: y } = event
      const found = at(target)
      // The browser's own menu belongs to marked words, links and what plays.
      const isBrowsers =
        !getSelection()?.isCollapsed || (target instanceof Element && target.closest('a, video, audio, textarea'))
      if (!found || isBrowsers) return
      const box = found.element.getBoundingClientRect()
      // A key has no place.
      const point = x === 0 && y === 0 ? { x: box.left + 24, y: box.top + 24 } : { x, y }
      if (latest.current.open(found.message, point, target)) event.preventDefault()
    }
    const doubleClick = ({ target }: MouseEvent) => {
      const found = at(target)
      const isOther = target instanceof Element && target.closest('a, button, video, audio, input, textarea')
      if (!found || isOther || !latest.current.giveFirst(found.message)) return
      // The press has marked a word.
      getSelection()?.removeAllRanges()
    }
    const press = (event: KeyboardEvent) => {
      const found = event.target instanceof Element && event.target.matches('.msg') ? at(event.target) : undefined
      const isTyped = event.repeat || event.altKey || (event.shiftKey && event.key !== 'Delete') || event.isComposing
      if (!found || isTyped) return
      const isCommand = event.ctrlKey || event.metaKey
      const key = event.key.toLowerCase()
      if (isSelecting(chatRoomId)) {
        if (isCommand || (key !== ' ' && key !== 'x')) return
        latest.current.toggle(found.line)
        return event.preventDefault()
      }
      const words = wordsOf(found.message)
      if (isCommand && key === 'c' && words && getSelection()?.isCollapsed) void copyText(words)
      else if (isCommand || !latest.current.actBy(key, found.message)) return
      event.preventDefault()
    }
    const page = new AbortController()
    area.addEventListener('pointerover', look, page)
    area.addEventListener('pointerleave', leave, page)
    area.addEventListener('focusin', look, page)
    area.addEventListener('contextmenu', context, page)
    area.addEventListener('keydown', press, page)
    area.addEventListener('dblclick', doubleClick, page)
    area.addEventListener('click', select, { ...page, capture: true })
    const endLongPress = followLongPress(area, (target, point) => {
      const found = at(target)
      return found !== undefined && latest.current.open(found.message, point, target)
    })
    const endSwipe = followSwipe(area, (target, way) => {
      const found = at(target)
      if (!found || way === 'left' || isSelecting(chatRoomId) || !latest.current.canReply(found.message)) return undefined
      return replySwipe(found.element, () => latest.current.reply(found.message))
    })
    return () => {
      page.abort()
      endLongPress()
      endSwipe()
    }
  }, [scroller, chatRoomId, latest])

  const isActive = active !== undefined
  useEffect(() => {
    // The line may be lost before something is asked.
    if (isActive) void Promise.all([DeleteMessage.preload(), MessageDetails.preload()])
  }, [isActive])

  const hasUnopened = lines.some((line) => line.kind === 'message' && canOpen(line.message))
  useEffect(() => {
    if (hasUnopened) void OnceDialog.preload()
  }, [hasUnopened])

  const room = roomById(chatRoomId)
  const close = () => setAsked(undefined)
  const bubble = active?.element.isConnected ? active.element.querySelector('.bub') : undefined
  return (
    <>
      {active &&
        bubble &&
        itemsOf(active.message).length > 0 &&
        createPortal(
          <MessageBar
            onReact={mayReact(active.message) ? (at) => open(active.message, at) : undefined}
            onReply={canReply(active.message) ? () => reply(active.message) : undefined}
            onMore={(at) => open(active.message, at)}
          />,
          bubble,
        )}
      {menu && (
        <Menu
          label="Actions for the message"
          at={menu.at}
          items={itemsOf(menu.message)}
          quick={quickOf(menu.message)}
          onClose={() => setMenu(undefined)}
        />
      )}
      {room && asked?.of === 'delete' && <DeleteMessage {...{ room, messages: asked.messages, onUpgrade }} onClose={close} />}
      {asked?.of === 'forward' && <ForwardDialog messages={[asked.message]} onUpgrade={onUpgrade} onClose={close} />}
      {room && asked?.of === 'details' && <MessageDetails {...{ room, message: asked.message }} onClose={close} />}
      {room && once?.body.kind === 'once' && (
        <OnceDialog key={once.id} {...{ room, message: once, body: once.body }} onClose={() => askOnce(null)} />
      )}
      {asked?.of === 'emoji' && (
        <EmojiPicker title="React" at={asked.at} onPick={(emoji) => verbs.give(asked.message, emoji)} onClose={close} />
      )}
    </>
  )
}
