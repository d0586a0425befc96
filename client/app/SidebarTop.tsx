import { Bell, EllipsisVertical, House, LogOut, Moon, Sun, UserRoundCog } from 'lucide-react'
import { useState } from 'react'
import { useStore } from 'zustand'
import type { User } from '../../contract/account.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { later } from '../ui/later.tsx'
import { ConnectionStatus } from './ConnectionStatus.tsx'
import { themeStore, toggleTheme } from './theme.ts'

const Menu = later(async () => (await import('../ui/Menu.tsx')).Menu)

/** Label of the settings button, which the focus returns to. */
export const SETTINGS = 'Profile Settings'

interface Props {
  user: User
  /** True if the name is the page's title: no conversation is open, which has a title of its own. */
  isTitle: boolean
  onHome: () => void
  onSettings: () => void
  onLogout: () => void
}

export function SidebarTop({ user, isTitle, onHome, onSettings, onLogout }: Props) {
  const theme = useStore(themeStore, (state) => state.theme)
  const [isOpen, setOpen] = useState(false)
  const Title = isTitle ? 'h1' : 'h2'
  const actions = [
    { icon: House, label: 'Home', onSelect: onHome },
    { icon: UserRoundCog, label: SETTINGS, onSelect: onSettings },
    {
      icon: theme === 'dark' ? Sun : Moon,
      label: theme === 'dark' ? 'Use light theme' : 'Use dark theme',
      onSelect: toggleTheme,
    },
    { icon: LogOut, label: 'Logout', onSelect: onLogout },
  ]
  return (
    <header className="top">
      <Avatar id={user.id} name={user.displayName} size={36} />
      <Title className="cut" dir="auto" title={`${user.displayName} (@${user.username.toLowerCase()})`}>
        {user.displayName}
      </Title>
      <nav className="tools" aria-label="Main">
        {actions.map(({ icon, label, onSelect }) => (
          <IconButton key={icon.displayName ?? label} icon={icon} label={label} onClick={onSelect} />
        ))}
        <IconButton icon={EllipsisVertical} label="You: settings, theme, Logout" className="you" onClick={() => setOpen(true)} />
      </nav>
      <ConnectionStatus />
      {isOpen && <Menu label="You" at={{ x: innerWidth - 8, y: 52 }} items={actions} onClose={() => setOpen(false)} />}
    </header>
  )
}

/** The button beside the search that goes from one conversation with unread messages to the next; hidden while there is none. */
export function Unread({ count, onOpen }: { count: number; onOpen: () => void }) {
  if (count === 0) return null
  const isMany = count > LIMITS.notificationCap
  const words = isMany ? `more than ${LIMITS.notificationCap}` : count
  return (
    <span className="bell">
      <IconButton icon={Bell} label="Next unread conversation" onClick={onOpen} />
      <span className="count red" aria-hidden="true">
        {isMany ? `${LIMITS.notificationCap}+` : count}
      </span>
      <span className="sr" role="status">
        Notifications, {words} unread
      </span>
    </span>
  )
}
