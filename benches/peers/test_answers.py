"""The comparison finds what differs: run before every measurement, so that agreement means something."""

import unittest

from answers import differences


class Differences(unittest.TestCase):
    def test_rounding_is_no_difference(self) -> None:
        ours = {"price": 9.99, "change_pct": 1.23, "matched_index": 0.9877, "products": 12, "brand": None}
        theirs = {"price": 9.9949, "change_pct": 1.2349, "matched_index": 0.98774, "products": 12, "brand": None}
        self.assertEqual(differences(ours, theirs), [])
        self.assertEqual(differences({"edge_price": [1.0, 2.5]}, {"edge_price": [1.0, 2.5]}), [])

    def test_everything_else_is_one(self) -> None:
        for ours, theirs in (
            ({"price": 9.99}, {"price": 10.0}),
            ({"change_pct": 1.23}, {"change_pct": 1.24}),
            ({"matched_index": 0.9877}, {"matched_index": 0.9878}),
            ({"products": 12}, {"products": 12.5}),
            ({"price": None}, {"price": 0}),
            ({"price": 1}, {}),
            ({"in_stock": None}, {"in_stock": False}),
            ({"promo": True}, {"promo": 1.1}),
            ({"brand": "Cup"}, {"brand": "Leaf"}),
            ({"items": [1, 2]}, {"items": [1]}),
            ({"items": [1, 2]}, {"items": [2, 1]}),
            ({"edge_price": [2.5]}, {"edge_price": [2.51]}),
            ({"change_pct": 1.0}, {"change_pct": float("nan")}),
        ):
            with self.subTest(ours=ours, theirs=theirs):
                self.assertTrue(differences(ours, theirs))


if __name__ == "__main__":
    unittest.main()
