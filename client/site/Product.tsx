const ALT = {
  light:
    'Conclave by day: the list of chats at the left, and at the right the words of Eleanor and Marcus, encrypted and verified',
  dark: 'Conclave by night: the list of chats at the left, and at the right the words of Eleanor and Marcus, encrypted and verified',
}

/** A chat as it is, by `npm run pictures`, in the theme of the page: of two lazy pictures a browser loads the one that is shown. */
export const Product = () => (
  <div className="wrap shown">
    <figure>
      {(['light', 'dark'] as const).map((theme) => (
        <picture key={theme} className={theme}>
          <source media="(max-width: 767px)" srcSet={`/chat-phone-${theme}.webp`} width={390} height={560} />
          <img src={`/chat-${theme}.webp`} width={1056} height={640} alt={ALT[theme]} loading="lazy" decoding="async" />
        </picture>
      ))}
    </figure>
    <p className="under">Conclave as it is. Made-up people.</p>
  </div>
)
