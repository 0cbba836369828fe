//! What the methods find, and what we learn from it. We reproduce the methods, but not the papers' collections: theirs are web pages and
//! student papers of hundreds of words; ours are posts, titles, and the histories of documents.
//!
//! The figures are in `benches/RESULTS.md`, under "The papers' tables again" and "The methods on 30 000 texts". To get them for your own
//! collection:
//!
//! ```sh
//! quchong reproduce history.jsonl
//! quchong evaluate posts.jsonl --sample 30000 --truth indel:0.8 --engine catalogue --normalise all,-punctuation
//! ```
//!
//! # Confirmed claims of the papers
//! - *Decomposition is first* on documents, as in the paper, and on posts of more than 40 characters. MD5 is the strictest.
//! - *3+2 finds a little more than 3+5.* On documents, N = 2 beats N = 3. On posts, the two hardly differ, because few posts have five
//!   sentences.
//! - *36 functions find more than 84*, because 84 functions require more agreement.
//! - *K1 has the lowest precision.* Of Kosinov's profiles, K4 and K6 are the most precise.
//!
//! # Claims not confirmed
//! - *On posts, 3+5 is not far ahead of other methods, and Long Sent is not second.* A post has one to three sentences. Two of them are
//!   nearly the whole post, and one changed word changes one of them.
//! - *Megashingles are not the last but one.* Copies of web pages differ in many places (menus, dates, advertisements); copies of posts
//!   differ in one.
//! - *Kosinov's counts do not identify short Chinese texts.* Chinese words have one to four characters, and there are no blanks, so K1,
//!   K2, K3 and K5 collide.
//! - *The paper's Bloom rule finds more false pairs than true ones* among short posts: its filter is small for so many texts.
//!
//! # Lessons
//! 1. **Pre-processing matters more than the method.** Removing the wrapping (topics, emoji, mentions) improves results more than choosing
//!    another method usually does. Without that, most of TF's false pairs are posts with little but a topic and emoji, so their words are
//!    those of the topic.
//! 2. **One digest is enough if copies are exact**, as with headlines, which are repeated unchanged.
//! 3. **Three words are not enough.** I-Match, Lex Rand and descriptor words leave most headlines unsigned, or alike by chance.
//! 4. **Small edits require many chances to match.** MinHash of character pairs finds most of the true pairs of posts, more than any
//!    method that signs words. The repeat rule, which compares texts and recognises facts, is the best on labelled pairs, where no two
//!    texts are equal.
//! 5. **Similarity is not repetition.** Under a truth by similarity, most of the rule's false pairs are posts that contain only the same
//!    topic with other emoji; to a reader, they are repeats. The rule also calls a quote (B inside A) and moved passages repeats; Indel
//!    similarity does not.
