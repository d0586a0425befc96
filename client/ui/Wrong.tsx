import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

/** Says below a field or choice what is wrong with it. */
export const Wrong = ({ children }: { children: ReactNode }) => (
  <p className="help bad" role="alert">
    <CircleAlert className="i i-14" aria-hidden />
    {children}
  </p>
)
