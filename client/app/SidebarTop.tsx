import { Bell, House, LogOut, Moon, Sun, UserRoundCog } from 'lucide-react'
import { useStore } from 'zustand'
import type { User } from '../../contract/account.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { ConnectionStatus } from './ConnectionStatus.tsx'
import { themeStore, toggleTheme } from './theme.ts'

/** Label of the settings button, which the focus returns to. */
export const SETTINGS = 'Profile Settings'

interface Props {
  user: User
  unread: number
  onHome: () => void
  /** Opens the next conversation with unread messages. */
  onUnread: () => void
  onSettings: () => void
  onLogout: () => void
}

export function SidebarTop({ user, unread, onHome, onUnread, onSettings, onLogout }: Props) {
  const theme = useStore(themeStore, (state) => state.theme)
  return (
    <header className="top">
      <div className="who">
        <Avatar id={user.id} name={user.displayName} size={40} />
        <div className="cut">
          <h1 className="cut" dir="auto" title={`${user.displayName} (@${user.username.toLowerCase()})`}>
            {user.displayName}
          </h1>
          <ConnectionStatus />
        </div>
        <Unread count={unread} onOpen={onUnread} />
      </div>
      <nav className="tools" aria-label="Main">
        <IconButton icon={House} label="Home" onClick={onHome} />
        <IconButton icon={UserRoundCog} label={SETTINGS} onClick={onSettings} />
        <IconButton
          icon={theme === 'dark' ? Sun : Moon}
          label={theme === 'dark' ? 'Use light theme' : 'Use dark theme'}
          onClick={toggleTheme}
        />
        <span />
        <IconButton icon={LogOut} label="Logout" onClick={onLogout} />
      </nav>
    </header>
  )
}

function Unread({ count, onOpen }: { count: number; onOpen: () => void }) {
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
