import type { LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { type FocusEvent, type PointerEvent, useRef, useState } from 'react'
import './menu.css'
import { isByKey } from './opener.ts'
import { useOver } from './useOver.tsx'

export interface MenuItem {
  icon: LucideIcon
  label: string
  press?: string
  onSelect: () => void
}

/** px of the window. */
export interface Point {
  x: number
  y: number
}

/** One of a few in a row above the items. */
export interface QuickItem {
  text?: string
  icon?: LucideIcon
  label: string
  isOn: boolean
  onSelect: () => void
}

interface Props {
  /** "Actions for Bob" */
  label: string
  at: Point
  items: MenuItem[]
  quick?: QuickItem[]
  onClose: () => void
}

/** A right click that opens a sheet below itself ends on one of its items. */
function passOver(event: PointerEvent) {
  if (event.button === 2) event.preventDefault()
}

/** A menu that is open while it is rendered. On a phone it is a sheet at the bottom. */
export function Menu({ label, at, items, quick = [], onClose }: Props) {
  const giveBack = useOver(onClose)
  // A menu belongs to the part of the page that it was opened in, also for whoever goes from part to part by a screen reader.
  const [part] = useState(() => document.activeElement?.closest('main, aside, [role="main"], [role="complementary"]'))
  const isLeft = useRef(false)
  const isEntered = useRef(isByKey())
  const chosen = useRef<() => void>(undefined)

  // A choice acts once the menu is gone: what it opens finds the focus where it was, and takes it from there.
  function close(event: Event) {
    event.preventDefault()
    if (!isLeft.current) giveBack()
    chosen.current?.()
  }

  // Radix does this only where it has seen the key itself: a menu that is rendered open has not.
  function enter({ target, currentTarget }: FocusEvent<HTMLElement>) {
    if (!isEntered.current || target !== currentTarget) return
    isEntered.current = false
    currentTarget.querySelector<HTMLElement>('[role="menuitem"]')?.focus({ preventScroll: true })
  }

  return (
    <DropdownMenu.Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DropdownMenu.Trigger asChild>
        <span className="menu-at" aria-hidden style={{ left: at.x, top: at.y }} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={part ?? null}>
        <DropdownMenu.Content
          className="menu"
          aria-label={label}
          align="start"
          sideOffset={2}
          collisionPadding={8}
          loop
          onFocus={enter}
          onInteractOutside={() => {
            isLeft.current = true
          }}
          onCloseAutoFocus={close}
        >
          {quick.length > 0 && (
            <DropdownMenu.Group className="menu-quick">
              {quick.map(({ text, icon: Icon, label: words, isOn, onSelect }) => (
                <DropdownMenu.CheckboxItem
                  key={words}
                  checked={isOn}
                  aria-label={words}
                  onPointerUp={passOver}
                  onSelect={() => {
                    chosen.current = onSelect
                  }}
                >
                  {text}
                  {Icon && <Icon className="i" aria-hidden />}
                </DropdownMenu.CheckboxItem>
              ))}
            </DropdownMenu.Group>
          )}
          {items.map(({ icon: Icon, label: words, press, onSelect }) => (
            <DropdownMenu.Item
              key={words}
              onPointerUp={passOver}
              onSelect={() => {
                chosen.current = onSelect
              }}
            >
              <Icon className="i i-16" aria-hidden />
              {words}
              {press && <kbd aria-hidden>{press}</kbd>}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
