"""An index of signatures over a stream of texts, for frameworks.py and rivals.py: what goes into it, and the loop that asks it."""

P, SIMILARITY = 128, 0.5


def shingles(text):
    """Pairs of characters, for packages that cut no text themselves."""
    return {text[at : at + 2] for at in range(max(len(text) - 1, 1))}


def datasketch(**options):
    """How datasketch signs, and what makes its index."""
    from datasketch import MinHash, MinHashLSH

    def sign(features):
        signature = MinHash(num_perm=P)
        signature.update_batch([feature.encode() for feature in features])
        return signature

    return sign, lambda: MinHashLSH(num_perm=P, **options)


def rensa():
    """The same of rensa."""
    from rensa import RMinHash, RMinHashLSH

    def sign(features):
        signature = RMinHash(num_perm=P, seed=42)
        signature.update(list(features))
        return signature

    # 32 bands of 4, as quchong chooses for similarity 0.5; datasketch chooses for itself.
    return sign, lambda: RMinHashLSH(threshold=SIMILARITY, num_perm=P, num_bands=32)


def dropped(texts, sign, index, verified):
    """How many texts are dropped by an index that is asked for each of them, and told those that it does not know.

    Texts come as their features; one without any is kept. What a band of a kept text equals is dropped, as the packages do it;
    `verified` also asks for the estimated similarity.
    """
    kept, count = {}, 0
    for number, features in enumerate(texts):
        if not features:
            continue
        signature = sign(features)
        near = index.query(signature)
        if verified:
            near = [of for of in near if kept[of].jaccard(signature) >= SIMILARITY]
        if near:
            count += 1
        else:
            index.insert(number, signature)
            if verified:
                kept[number] = signature
    return count
