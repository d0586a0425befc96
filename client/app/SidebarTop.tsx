import { EllipsisVertical, House, LogOut, Moon, Phone, ShieldCheck, Sun, UserRoundCog } from 'lucide-react'
import { useState } from 'react'
import { useStore } from 'zustand'
import type { User } from '../../contract/account/account.ts'
import { Avatar } from '../ui/Avatar.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { later } from '../ui/later.tsx'
import { ConnectionStatus } from './ConnectionStatus.tsx'
import { themeStore, toggleTheme } from './theme.ts'

const Menu = later(async () => (await import('../ui/Menu.tsx')).Menu)

/** Labels of the buttons that the focus returns to. */
export const SETTINGS = 'Profile Settings'
export const ADMIN = 'Admin Panel'

interface Props {
  user: User
  /** True if the name is the page's title: no chat is open, which has a title of its own. */
  isTitle: boolean
  onHome: () => void
  onAdmin: () => void
  onSettings: () => void
  onCalls: () => void
  onLogout: () => void
}

export function SidebarTop({ user, isTitle, onHome, onAdmin, onSettings, onCalls, onLogout }: Props) {
  const theme = useStore(themeStore, (state) => state.theme)
  const [isOpen, setOpen] = useState(false)
  const Title = isTitle ? 'h1' : 'h2'
  const actions = [
    { icon: House, label: 'Home', onSelect: onHome },
    { icon: Phone, label: 'Calls', onSelect: onCalls },
    ...(user.isAdmin ? [{ icon: ShieldCheck, label: ADMIN, onSelect: onAdmin }] : []),
    { icon: UserRoundCog, label: SETTINGS, onSelect: onSettings },
    {
      icon: theme === 'dark' ? Sun : Moon,
      label: theme === 'dark' ? 'Use light theme' : 'Use dark theme',
      onSelect: toggleTheme,
    },
    { icon: LogOut, label: 'Logout', onSelect: onLogout },
  ]
  return (
    <div className="top">
      <Avatar id={user.id} name={user.displayName} photo={user.profileImageUrl} size={36} />
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
    </div>
  )
}
